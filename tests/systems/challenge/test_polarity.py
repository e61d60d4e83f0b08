"""Polarity of positions in hand-written sentences, one or more for each operator, of the marked word.

``+`` upward, ``-`` downward, ``0`` non-monotone. The expected values follow from the meaning of the operators.
"""

import re

import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.systems.challenge.polarity import Polarities, Position, judge_pairs
from touchstone.text import english

SIGNS = {"+": "upward", "-": "downward", "0": "non-monotone"}

CASES = {
    "nothing changes the direction": """
        + A man is feeding a [dog] in the park.
        + A [man] is feeding a dog in the park.
        + A man is [feeding] a dog in the park.
        + The woman bought a [red] dress.
        + Two [boys] are playing football.
        + She [whispered] to her sister.
        + Children are building a [castle] on the beach.
        + The [surgeon] washed her hands.
        + There is a [poodle] on the sofa.
    """,
    "not": """
        - The man is not feeding a [dog].
        - The man is not [feeding] a dog.
        + The [man] is not feeding a dog.
        - The boy isn't wearing a [hat].
        - She didn't buy a [red] dress.
        - He does not own a [car] with leather seats.
        - They cannot see the stage from their [seats].
        - She won't eat [fish].
        - There isn't a [cat] in the garden.
        - He is not a [doctor].
        + A [nurse] did not answer the phone.
        - We haven't seen any [birds] today.
        - The baby was not sleeping in a [crib].
        - Do not touch the [paintings].
        - He didn't try to open a [window].
        - I don't think that she owns a [dog].
        + He did not sing, but he played the [violin].
        - He doesn't sing or [dance].
        0 He didn't shout and [left] the room.
        - Not a single [guest] complained.
        - Not one [guest] complained.
        - Not many [guests] danced.
        - Not many guests [danced].
        + Not every [guest] danced.
        - Not every guest [danced].
        + Not all [students] passed the exam.
        - Not all students [passed] the exam.
        - The teacher has not [spoken] to the parents.
    """,
    "negative adverbs": """
        - She never eats [meat].
        - He has never owned a [dog].
        - The old man hardly ever leaves the [house].
        - They rarely watch [films].
        - She seldom drinks [wine].
        - Never have I seen a [whale].
        - Seldom does she [sing].
        - He scarcely touched the [soup].
        - She barely knows a [soul] in this town.
        + The [pianist] never practises.
        - He no longer drives a [truck].
        - She can hardly lift a [suitcase].
    """,
    "negative quantifiers": """
        - No [child] was playing outside.
        - No child was [playing] outside.
        - No child was playing with a [ball].
        - There are no [dogs] in the park.
        - There are no children holding a [balloon].
        - Nobody bought a [ticket].
        - Nobody [bought] a ticket.
        - No one is wearing a [coat].
        - Nothing in the [room] moved.
        - Nothing in the room [moved].
        - None of the [players] scored.
        - None of the players [scored].
        - He ate no [vegetables].
        - He [ate] no vegetables.
        + A [boy] ate no vegetables.
        - Neither [player] scored a goal.
        - Neither player scored a [goal].
        - Neither of the [players] scored.
        - Neither the boy nor the girl ate [meat].
        - He neither smokes nor drinks [wine].
        - She speaks no [foreign] language.
        - The house has no [garden].
        - No student who owns a [car] takes the bus.
        - No student who owns a car takes the [bus].
        - At no time did he touch a [weapon].
        - No [cats] or dogs are allowed.
        - No cats or [dogs] are allowed.
        - She saw nobody in the [kitchen].
        - A house with no [garden] was never sold.
        + The [house] with no garden was sold.
    """,
    "without": """
        - He left without a [coat].
        - She drank tea without adding [sugar].
        + A [man] without a coat entered.
        + He never leaves without a [coat].
        + Nobody can live without [water].
    """,
    "universal quantifiers": """
        - Every [dog] barked.
        + Every dog [barked].
        + Every child is holding a [balloon].
        - Each [student] wrote an essay.
        + Each student wrote an [essay].
        - All [dogs] are playing in the snow.
        + All dogs are playing in the [snow].
        - All of the [dogs] barked.
        + All of the dogs [barked].
        - All the [passengers] were asleep.
        + All the passengers were [asleep].
        - Everyone who owns a [dog] came.
        + Everyone who owns a dog bought a [ticket].
        - Every student who read a [novel] passed.
        - Every [black] dog barked.
        - She fed every [dog] in the shelter.
        + She [fed] every dog in the shelter.
        + He didn't feed every [dog].
        - He didn't [feed] every dog.
        - Everybody in the [room] laughed.
        0 Every [student] did not pass.
        - Every student did not buy a [book].
        0 Almost every [dog] barked.
        + Almost every dog [barked].
        - Every boy and every [girl] was given a cake with no [sugar].
        0 He slept all [day].
    """,
    "any": """
        - We did not see any [animals].
        - Any [child] can solve this puzzle.
        - If anyone sees a [snake], they will scream.
        - Hardly any [tourists] visited the museum.
        - Hardly any tourists [visited] the museum.
        - She refused to eat any [cheese].
    """,
    "existential quantifiers": """
        + Some [dogs] barked.
        + Some dogs chased a [cat].
        + Several [women] were dancing.
        + Several women were wearing [hats].
        + Many [tourists] visited the museum.
        + Many tourists bought a [souvenir].
        + A few [men] were fishing.
        + A few men caught a [trout].
        + At least three [girls] won a prize.
        + At least three girls won a [prize].
        + More than five [dogs] barked.
        + More than five dogs [barked].
        + Over twenty [soldiers] marched.
        + No fewer than ten [guests] arrived.
        + Not less than ten guests [arrived].
        + Five [boys] climbed a tree.
        + A lot of [tourists] took photographs.
        + A number of [tourists] took photographs.
        + One of the [boys] fell.
    """,
    "few and little": """
        - Few [tourists] visited the museum.
        - Few tourists [visited] the museum.
        - Few tourists bought a [souvenir].
        - Very few [students] own a car.
        - Very few students own a [car].
        - Few of the [guests] danced.
        - He ate little [food].
        - There is little [hope].
        + A little [girl] is singing.
        + The little [dog] barked.
        + She added a little [salt].
        + The few [guests] danced.
    """,
    "numbers with bounds": """
        - At most five [dogs] barked.
        - At most five dogs chased a [cat].
        - Fewer than ten [students] passed.
        - Fewer than ten students bought a [book].
        - Less than ten [people] voted.
        - No more than three [guests] danced.
        - No more than three guests drank [wine].
        - Up to ten [people] voted.
        0 Exactly three [girls] won a prize.
        0 Exactly three girls won a [prize].
        0 Only three [girls] won.
        0 About ten [dogs] barked.
        0 Between five and ten [dogs] barked.
    """,
    "most and shares": """
        0 Most [dogs] chased a cat.
        + Most dogs chased a [cat].
        0 Most of the [dogs] barked.
        + Most of the dogs [barked].
        0 Half of the [students] passed.
        + Half of the students bought a [book].
        0 Less than half of the [students] passed.
        - Less than half of the students bought a [book].
        0 More than half of the [students] passed.
        + More than half of the students bought a [book].
        0 Ten percent of the [dogs] barked.
        0 The majority of the [dogs] barked.
        0 The number of [dogs] is increasing.
    """,
    "only": """
        0 Only [dogs] were barking.
        0 Only dogs chased a [cat].
        0 She only drinks [tea].
        0 He was merely a [servant].
        0 The only [dog] in the park barked.
        0 Not only [dogs] barked.
    """,
    "conditionals": """
        - If a [dog] barks, the baby cries.
        + If a dog barks, the baby throws a [toy].
        - If you own a [car], you must pay.
        - The alarm rings if a [burglar] enters.
        + The [alarm] rings if a burglar enters.
        + If he doesn't buy a [car], he will walk.
        - Whenever a [dog] barks, the baby cries.
        - Whoever owns a [dog] must pay a tax.
        0 Unless a [dog] barks, he sleeps.
        0 He talks as if he owned a [car].
        0 When a [dog] barks, the baby cries.
        + When he opened the [door], a dog barked.
        - Had he seen a [dog], he would have run.
        - Provided you own a [car], you may park here.
        + She won't come if she isn't invited to a [party].
    """,
    "comparisons and superlatives": """
        - He is taller than any [player] in the team.
        - She runs faster than a [horse].
        + The [boy] is taller than his brother.
        - He bought a book rather than a [newspaper].
        - She drank tea instead of [coffee].
        0 The tallest [man] won a prize.
        + The tallest man won a [prize].
        0 The most expensive [car] was sold.
        0 The first [woman] to arrive was a nurse.
        0 His best [friend] bought a car.
        0 He ate less [meat].
        0 She has enough [money].
        - She is too tired to write a [letter].
        - The box is too heavy to put on a [shelf].
    """,
    "verbs that deny": """
        - He refused to eat [fish].
        - She failed to find a [job].
        - He forgot to buy [milk].
        - They avoided eating [fish].
        - She denied that she owned a [gun].
        - He denied stealing a [car].
        - I doubt that he owns a [horse].
        - The fence prevents children from reaching the [river].
        - The law prohibits people from carrying a [gun].
        - He kept her from opening the [letter].
        - She stopped smoking [cigars].
        + She stopped to buy a [newspaper].
        - The village lacks a [school].
        - He neglected to lock the [door].
        - She declined to answer a [question].
        - He refrained from making a [joke].
        + He didn't fail to find a [job].
        + She did not refuse to eat [fish].
        + Nobody doubts that he owns a [horse].
        + He managed to find a [job].
        + She remembered to buy [milk].
        + She forgot that she owned a [dog].
        0 She prevented an [accident].
    """,
    "adjectives and nouns that deny": """
        - He is unable to play an [instrument].
        - It is impossible to find a [taxi].
        - She is unlikely to buy a [car].
        - He is unwilling to sign a [contract].
        - She is incapable of telling a [lie].
        0 It is dangerous to swim in a [river].
        0 It is surprising that he owns a [horse].
        - The lack of [water] killed the plants.
        - His refusal to sign a [contract] cost him the job.
        - Her inability to find a [job] worried him.
        + There is no doubt that he stole a [car].
    """,
    "before, until, because": """
        - She left before a [guest] arrived.
        0 He slept until a [dog] barked.
        + She smiled after she found a [coin].
        + He cried because he lost a [ball].
        0 He didn't cry because he lost a [ball].
    """,
    "questions": """
        0 Did a [dog] bark?
        0 Who bought a [car]?
        0 She wonders whether he owns a [car].
        0 I asked if he had seen a [dog].
        0 He knows who bought the [car].
    """,
    "attitudes and modals": """
        + She believes that he owns a [horse].
        + He says that he saw a [wolf].
        + They want to buy a [house].
        + He may own a [boat].
        + You should visit a [museum].
        - They do not want to buy a [house].
        - He may not own a [boat].
        0 He doesn't know that she bought a [car].
        0 He regrets that he sold a [house].
        0 She wishes that she had a [dog].
    """,
    "names and quotations": """
        0 [London] is a large city.
        0 He works in [Paris].
        0 The sign says "no [dogs] allowed" in red.
        0 She shouted “bring a [chair]” from the door.
    """,
    "kinds": """
        0 [Dogs] chase cats.
        + [Dogs] are running in a field.
        + [Dogs] chased a cat.
        0 [Whales] are mammals.
        0 She likes [dogs].
        - She doesn't like [dogs].
    """,
    "exceptions and near misses": """
        0 Everyone except the [teacher] laughed.
        0 He ate nothing but [bread].
        0 He looks like a [wolf].
        0 He nearly bought a [car].
        0 A former [soldier] opened the door.
        0 He held a fake [gun].
        + I have never met a man who owns no [shoes] or [socks].
    """,
    "several operators": """
        - The people are not riding [bikes] down the street.
        - A woman who is not wearing a [scarf] is smiling.
        + A [woman] who is not wearing a scarf is smiling.
        + A woman who is not wearing a scarf is holding a [cup].
        - The girl in the red shirt has no [shoes] on her feet.
        - There were no [tourists] at the beach and no [vendors] in the market.
        - A group of men is not standing near a [bus].
        - Two dogs are not playing with a [ball] in the grass.
        - The children aren't eating [apples] or [pears].
        - It is not true that a [dog] bit the boy.
        - It is false that he owns a [dog].
        - It's not the case that every dog [barked].
        + It's not the case that every [dog] barked.
        - There is no [man] riding a horse.
        - There is no man riding a [horse].
        - No dogs are running or playing with a [ball].
        - Nobody in the class has a [pet].
        - Nobody in the [class] has a pet.
        - The museum was not visited by a [tourist].
        - No [soldier] was wounded by a bullet.
        - No soldier was wounded by a [bullet].
        - They arrived without [luggage] and without a [map].
        - No boy kicked a ball or threw a [stone].
        - No boy kicked a ball and threw a [stone].
        - Tom can't play the [guitar].
        - Tom isn't able to play a [guitar].
        - She is not allowed to drive a [truck].
        + She is not unable to drive a [truck].
        - Without a [ticket], nobody can enter.
        0 What did the [boy] eat?
        - The boy who has never seen an [elephant] cried.
        + The [boy] who has never seen an elephant cried.
        - Every man who has a [dog] that bites must buy a muzzle.
        + Every man who has a dog that bites must buy a [muzzle].
        - All children who play in the [park] know the guard.
        - All men and [women] voted.
        - Each of the [houses] has a garden.
        + Each of the houses has a [garden].
        - Every one of the [houses] has a garden.
        + Everything he bought was made of [silk].
        - Everyone in the [office] drinks coffee.
        + Everyone in the office drinks [coffee].
        + Every boy gave a girl a [rose].
        - No boy gave every girl a [rose].
        + No boy gave every [girl] a rose.
        - No boy [gave] every girl a rose.
        - All the boys didn't see a [bear].
        + If no one calls a [doctor], he will die.
        - He ordered coffee instead of a [cocktail].
        0 She is less likely to buy a [house].
        - She is happier than her [neighbours].
        - The tower is higher than any [building] in the city.
        0 The tower is as high as a [mountain].
        0 She has fewer [books].
        - There are fewer than five [books] on the table.
        - There are at most two [chairs] in the room.
        - He bought at most two [chairs].
        - He [bought] at most two chairs.
        + The [man] bought at most two chairs.
        - She owns fewer than three [cats].
        - Not more than five [people] were injured in the crash.
        + At least ten people were injured in the [crash].
        + He bought more than two [chairs].
        0 He bought exactly two [chairs].
        0 He [bought] exactly two chairs.
        + The [man] bought exactly two chairs.
        0 Precisely four [workers] built a house.
        0 Just two [students] passed.
        0 All but two [students] passed.
        - Few [men] and women danced.
        0 Only few people know a [poet].
        - So few people bought [tickets] that the show was cancelled.
        + Quite a few [people] bought tickets.
        + A small number of [people] bought tickets.
        + Lots of [children] were singing.
        + Plenty of [people] bought tickets.
        + Both [boys] were singing.
        + Either [boy] was singing.
        + Someone is playing a [flute].
        + Somebody left a [bag] on the train.
        + A man or a [woman] is singing.
        + My [brother] doesn't smoke.
        - My brother doesn't smoke [cigars].
        - He has not yet found a [flat].
        - You needn't bring a [present].
        - You must not feed the [animals].
        - Don't buy a [car].
        - Let's not buy a [car].
        - I wouldn't eat [fish].
        - He hasn't got a [clue].
        - She isn't holding an [umbrella] because it is sunny.
        0 She isn't crying because she lost a [doll].
        - Hardly anyone bought a [ticket].
        - Hardly a [car] passed.
        - Barely any [rain] fell.
        - Rarely does he eat [meat].
        - Little [money] was spent.
        - Little money was spent on [books].
        + A little [bird] was singing.
        - He knew little about [horses].
        - None of them owns a [car].
        - None of the boys who own a [car] came.
        - Neither boy nor girl was holding a [flag].
        - She likes neither [tea] nor [coffee].
        - He doesn't drink tea, nor does he drink [coffee].
        - They avoid [sweets].
        - They avoid eating [sweets].
        - She quit drinking [alcohol].
        - The doctor banned [alcohol].
        - The doctor forbade him to drink [alcohol].
        - It's forbidden to feed [animals].
        0 She hesitated to buy a [car].
        - The rain stopped them from playing [tennis].
        - He was too shy to talk to a [girl].
        + He was brave enough to talk to a [girl].
        - She was too busy to answer the [phone].
        - His failure to find a [job] upset her.
        - The absence of [trees] is striking.
        - The film is free of [violence].
        - He gave up smoking [cigars].
        + She can't help eating [chocolate].
        + It is not impossible to find a [taxi].
        + He never forgets to lock the [door].
        + Nobody without a [ticket] may enter.
        - Nobody without a ticket may enter the [hall].
        + I don't believe that no [child] cried.
        + If every [student] buys a book, the shop makes money.
    """,
    "subordinate clauses and idioms": """
        + Having no money, he stole a [car].
        - Having no [money], he stole a car.
        + Walking without a dog, he met a [friend].
        + Although she doesn't own a car, she drives a [truck].
        - Although she doesn't own a [car], she drives a truck.
        + She drives a [truck], although she doesn't own it.
        + He bought a [house] that has no garden.
        - He bought a house that has no [garden].
        + He did not come, so she ate a [pizza].
        0 The dog that never barks bit a [boy].
        0 The dog that never [barks] bit a boy.
        + He plays the [piano] and does not sing.
        - He plays the piano and does not [sing].
        + She bought a [dress], not a skirt.
        - Tom told Mary not to open the [box].
        - He promised never to eat [meat].
        - He decided not to buy a [car].
        - She tried not to wake the [baby].
        - The students were told not to bring [phones].
        + The [students] were told not to bring phones.
        - It is better not to feed the [animals].
        0 There is not enough room for a [sofa].
        - Tom has never been to a [theatre].
        - I've never met anyone who plays the [harp].
        - There was nobody in the [theatre].
        - There was nothing on the [table].
        - Not everyone who owns a car [laughed].
        + Not everyone who owns a [car] drives.
        - He isn't old enough to drive a [car].
        - Tom doesn't have as many [books] as Mary.
        + Tom said that he bought a [car].
        - Tom said that he didn't buy a [car].
        - Tom didn't say that he bought a [car].
        - Tom denied that a [dog] had bitten him.
        + Tom didn't deny that a [dog] had bitten him.
        - Tom forgot to feed his [dog].
        + Tom likes to play [tennis].
        - Tom doesn't like to play [tennis].
        + Every time he sees a dog, he buys an [apple].
        - Every time he sees a [dog], he buys an apple.
        - Anyone who has a [ticket] can enter.
        + Anyone who has a ticket can enter the [hall].
        + Anybody can play a [drum] without any training.
        - Anybody can play a drum without any [training].
        - Nobody was hurt in the [accident].
        - Not a [leaf] moved.
        - The shop didn't sell a single [book].
        - They sold fewer than 20 [cars] in May.
        - No two [dogs] are alike.
        - She saw no more than four [birds] in the tree.
        - At most three [men] who own a [boat] came.
        - Few people who own a [boat] came.
        - Most people who came didn't buy a [ticket].
        0 Most people who own a [dog] came.
        + Many people who own a [dog] came.
        + Some people who own a [dog] came.
        + Some of the people bought a [boat].
        - If there is no dog in the house, the burglar will not steal a [ring].
        0 You can't buy a car unless you have money for a [house].
        0 You can buy a car unless you have a [debt].
        - The road was closed before a [truck] could pass.
        - He left home before buying a [newspaper].
        0 I was surprised that no [student] came.
        0 He is afraid of [dogs].
        0 She hates [spiders].
        0 The boy hates eating [vegetables].
        - Students who don't own a [bicycle] walk.
        - A man who never eats [meat] sat next to me.
        + He has a friend who buys [stamps].
        - He has no friend who buys [stamps].
        - Under no circumstances should you open the [gate].
        - In no way does he help a [hero].
        + He didn't see nothing in the [box].
        - Isabel is neither a [doctor] nor a [lawyer].
        - Neither of them has a [car].
        - Nobody ever saw a [ghost] there.
        - He ate nothing in the [restaurant].
        - Never in his life had he seen a [camel].
        + I cannot imagine a life without [music].
        - The team has yet to win a [game].
        0 She is the last person to buy a [gun].
        - Nowhere did they find a [clue].
        0 No sooner had he opened the door than a [dog] barked.
        - Seldom has a [queen] been so loved.
        + He got up without waking the baby and made [coffee].
        - Rather than buy a [car], he rented one.
        0 She prefers tea to [coffee].
        + If you are tired, drink a cup of [tea].
        - Don't open the window if you see a [wasp].
        - He opened no [window] because a wasp was outside.
        - Each [boy] and each [girl] sang.
        - No boy and no [girl] sang a [song].
        - Every boy or [girl] sang.
        - In the garden there is no [tree].
        + In the [garden] there is no tree.
    """,
    "captions": """
        + Little [boy] runs the wrong way.
        + People sat around a [table] in the yard.
        + A man is sleeping under two [trees].
        + The dogs are chasing each [other].
        + A man is dressed as a [clown].
        + A woman smiles as a [child] dances.
        0 He is as tall as a [tree].
        - As long as you own a [car], you can live here.
        + Two people are crossing a [street] with no traffic.
        - Two people are crossing a street with no [traffic].
        0 A man in all [black] is running.
        + A man is standing between two [cars].
        0 Around ten [dogs] barked.
        - Very little [rain] fell.
    """,
    "further sentences": """
        - Tom couldn't find his [umbrella] anywhere.
        - Mary is never late for [school].
        - I have no idea which [train] to take.
        - We ran out of the house without our [shoes].
        + We ran out of the [house] without our shoes.
        - Nobody here speaks a [language] other than English.
        - The committee did not approve any of the [proposals].
        + The [proposals] that nobody read were rejected.
        - All the women in the [village] carry water.
        + All the women in the village carry [water].
        - Each [player] on the [team] got a medal.
        + Each player on the team got a [medal].
        - None of my friends has a [motorbike].
        - Not one of the [houses] has a pool.
        - Not one of the houses has a [pool].
        - Two of the three boys didn't eat a [sandwich].
        + Two of the three [boys] didn't eat a sandwich.
        - The dogs aren't allowed on the [beach].
        - A dog isn't chasing a [squirrel].
        - There's no [bread] left.
        - There wasn't a [soul] on the street.
        - There aren't any [boats] on the lake.
        - There aren't any boats on the [lake].
        - No animals were harmed during the [film].
        - Smoking is not permitted in the [building].
        - Parking is prohibited in the [street].
        - It is illegal to sell [drugs] to minors.
        - She has never once complained about a [neighbour].
        - He has hardly any [hair].
        - I can't stand [noise].
        + Don't forget to bring an [umbrella].
        - We never saw him with a [girlfriend].
        + Every house that was built before the war has a [cellar].
        - Every [house] that was built by a [company] has a cellar.
        + Every house that was built by a company has a [cellar].
        - Anyone caught with a [weapon] will be arrested.
        + If it weren't for the [rain], we would go out.
        + If you don't water the [plants], they will die.
        0 He won't leave unless she buys a [car].
        - Nobody but the [king] may enter.
        - He works harder than any [colleague].
        - More dogs than [cats] were adopted.
        - She would rather die than marry a [prince].
        + Hardly had he sat down when a [bell] rang.
        0 I doubt whether she owns a [piano].
        0 He failed to notice that a [thief] had entered.
        - She didn't manage to catch the [bus].
        - It's unlikely that a [tourist] will come.
        - They were unable to put out the [fire].
        - The town has neither a [cinema] nor a [theatre].
        - Few of those who bought a [ticket] came.
        - Few of those who bought a ticket saw a [lion].
        - At most half of the students bought a [book].
        - Less than ten percent of the voters bought a [newspaper].
        0 No more than a few [people] came.
        - I haven't seen a film in [years].
        - Neither his mother nor his [father] came.
        - Without [warning], he left.
        - The absence of any [evidence] is telling.
        - He lacks [courage].
        - Never feed a [bear].
        - The prisoners were denied [food].
        - He seldom, if ever, eats [meat].
        - This is not a [toy] for children.
        - I'm not a [fan] of [horror] films.
        - She's not wearing [gloves] or a [scarf].
        - Neither [dog] is barking at the [cat].
        - The boy has not eaten his [dinner] yet.
        - They don't have a [pet] and they don't want a [garden].
        + They don't have a pet but they want a [garden].
        + Because he had no money, he stole an [apple].
        + There is a [man] who has no hat.
        - There is a man who has no [hat].
        + The man with no hat is riding a [horse].
        + Some [people] don't like fish.
        + Some people who don't like fish eat [meat].
        + A [child] that cannot swim is playing with a [ball].
        + Many [students] don't own a car.
        - Many students don't own a [car].
        - Most students don't own a [car].
        0 Most [students] don't own a car.
        + At least one [student] didn't bring a book.
        - At least one student didn't bring a [book].
        + At most three students didn't bring a [book].
        0 Exactly two students didn't bring a [book].
        + Several [tourists] without a map got lost.
        - Dogs are banned from the [park].
        - [Bicycles] were prohibited in the park.
        + Dogs were banned by a [judge].
        - She owns neither a [boat] nor an [island].
        - The lawyer advised him not to sign a [contract].
        - The two women are not sisters of a [dancer].
        - It never rains in this [desert].
        - Not a word was spoken during the [ceremony].
        + Hardly a day passes without an [accident].
        - Nobody likes a [liar].
        - Nobody has ever climbed this [mountain].
        - I have yet to meet a [poet].
        - They refused the boy a [sweet].
        - He swore never to touch a [drop] of [alcohol].
        0 In no country do children eat [insects].
        - By no means is he a [fool].
        - The farmer does not grow [wheat] on this [field].
        - This shop no longer sells [shoes].
        - He can neither read nor write a [letter].
        - Neither a [borrower] nor a [lender] came.
        - She is no [angel].
        - No [news] is good.
        0 He is anything but a [hero].
        0 It's not as if he owned a [castle].
        0 Not until he saw a [wolf] did he run.
        - The student doesn't know any [physics].
        - He spoke to none of the [guests].
        0 He [spoke] to none of the guests.
        - Scarcely any [snow] fell on the [hills].
        - Each and every [citizen] must vote.
        - All [animals] need water.
        + All animals need [water].
        - Whichever [door] you open, you will find a prize.
        + Whichever door you open, you will find a [prize].
        - Whoever steals a [purse] will be punished.
        - Everyone with a [dog] was invited.
        + Everybody except Tom has a [dog].
        + All that he bought was a [car].
        - Every single [student] got a prize.
        + Every single student got a [prize].
        - He reads every [book] about [trains].
        - I answered all the [questions].
        - All three [boys] laughed.
        - All of his [friends] are musicians.
        + All of his friends are [musicians].
        - Both of them never eat [cheese].
        - Fewer than half of the men wore a [tie].
        0 Fewer [men] than women came.
        - There are less than ten [eggs] in the [basket].
        - He has at most one [brother].
        - Maximum ten [people] can enter.
        + She invited no fewer than ten [friends].
        - He has little [interest] in [politics].
        - She drinks very little [wine].
        - They found few [mushrooms] in the [forest].
        - Few [people] want to live near a [factory].
        - Too few [doctors] speak a foreign [language].
        0 Only a few [people] came.
        - The man without a [beard] is my uncle.
        - People without a [passport] cannot board the [plane].
        - He was fired before he could finish the [report].
        0 If only he had a [car]!
        0 In case you see a [bear], stay calm.
        - Should you see a [bear], stay calm.
        - Were she a [nurse], she would know.
        + Suppose a [dog] attacks you.
        - He denies having a [gun].
        0 They deny the existence of [ghosts].
        - She avoids talking to [strangers].
        - He resisted buying a [boat].
        0 He is against buying a [boat].
        - The disease kept him from seeing his [friends].
        - The guard stopped him from taking a [photo].
        - He was discouraged from studying [law].
        - He is hesitant to buy a [horse].
        - It is impossible for a [child] to open the box.
        0 It's rare to see a [fox].
        - She's reluctant to lend him a [pen].
        - He got by without a [job] or a [flat].
    """,
}


def place_of(marked: str) -> Position:
    """Return the place of the word in brackets."""
    before, word, after = re.split(r"[\[\]]", marked, maxsplit=2)
    [sentence] = english().parse([before + word + after], split=False)
    start = sentence.starts.index(len(before))
    return Polarities(sentence).at(start, start + len(word.split()))


def each_mark(line: str) -> list[str]:
    """Return the sentence once for each marked word, with only that word marked."""
    sign, text = line.split(maxsplit=1)
    marks = list(re.finditer(r"\[(.*?)\]", text))
    plain = [re.sub(r"[\[\]]", "", part) for part in re.split(r"(\[.*?\])", text)]
    return [
        "".join([sign, " ", *plain[: 2 * n + 1], f"[{plain[2 * n + 1]}]", *plain[2 * n + 2 :]])
        for n in range(len(marks))
    ]


LINES = [(name, case) for name, text in CASES.items() for line in text.strip().splitlines() for case in each_mark(line)]


@pytest.mark.parametrize(("operator", "case"), LINES, ids=[case for _, case in LINES])
def test_a_place_has_the_polarity_that_the_operators_around_it_give(operator, case):
    sign, text = case.split(maxsplit=1)
    place = place_of(text)
    assert place.polarity == SIGNS[sign], f"{operator}: {place.reason}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A man is feeding a [dog].", "asserted"),
        ("No man is feeding a [dog].", "scope of 'no'"),
        ("Every man with a [dog] smiled.", "restrictor of 'every'"),
        ("He left without paying a [waiter].", "complement of 'without'"),
        ("If a [dog] barks, the baby cries.", "antecedent of 'if'"),
        ("He can't live without a [dog].", "scope of 'ca', scope of \"n't\", complement of 'without'"),
        ("He works in [Paris].", "words of 'name'"),
    ],
)
def test_the_reason_names_each_operator_and_its_argument(text, reason):
    assert place_of(text).reason == reason


@pytest.mark.parametrize(
    ("polarity", "relation", "label"),
    [
        ("upward", "general", "entailment"),
        ("upward", "specific", "neutral"),
        ("upward", "synonym", "entailment"),
        ("upward", "exclusion", "contradiction"),
        ("downward", "general", "neutral"),
        ("downward", "specific", "entailment"),
        ("downward", "synonym", "entailment"),
        ("downward", "exclusion", None),
        ("non-monotone", "general", None),
        ("non-monotone", "specific", None),
        ("non-monotone", "synonym", "entailment"),
        ("non-monotone", "exclusion", None),
    ],
)
def test_polarity_and_relation_give_the_label(polarity, relation, label):
    assert Position(polarity).label(relation) == label


@pytest.mark.parametrize("text", ['The sign says "no [dogs] allowed" in red.', "[London] is large."])
def test_not_even_a_synonym_replaces_a_word_of_a_quotation_or_a_name(text):
    assert place_of(text).label("synonym") is None


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("A man is holding a [dog].", "contradiction"),
        ("Every man is holding a [dog].", "contradiction"),
        ("Two men will buy a [dog].", "contradiction"),
        ("Some men are holding a [dog].", None),
        ("A man may buy a [dog].", None),
        ("She believes that he bought a [dog].", None),
        ("He bought a [dog] or a parrot.", None),
        ("He sometimes buys a [dog].", None),
        ("Nobody can live without a [dog].", None),
        ("Most men bought a [dog].", None),
    ],
)
def test_a_word_that_excludes_contradicts_only_what_is_asserted(text, label):
    assert place_of(text).label("exclusion") == label


def test_an_operator_itself_is_no_place():
    assert place_of("[Every] dog barked.").polarity == "non-monotone"
    assert place_of("He [refused] to sing.").polarity == "non-monotone"


def test_a_phrase_has_the_polarity_of_its_head():
    assert place_of("Nobody fed a [brown dog].").polarity == "downward"


def test_a_sentence_without_a_tree_is_refused():
    [sentence] = english().tag(["Birds sing."])
    with pytest.raises(TouchstoneError) as error:
        Polarities(sentence)
    assert error.value.code == Code.BAD_VALUE


@pytest.mark.parametrize("text", ["Dog", "No", "?", "not not not not", '"', "no " * 500, "he did not see " * 2_500])
def test_any_text_has_places(text):
    [sentence] = english().parse([text], split=False)
    places = Polarities(sentence)
    assert {places.at(n, n + 1).polarity for n in range(0, len(sentence), 97)} <= set(SIGNS.values())


@pytest.mark.parametrize(
    ("premise", "hypothesis", "label"),
    [
        ("A boy fed a poodle.", "A boy fed a dog.", "entailment"),
        ("A boy fed a dog.", "A boy fed a poodle.", "neutral"),
        ("No boy fed a dog.", "No boy fed a poodle.", "entailment"),
        ("No boy fed a poodle.", "No boy fed a dog.", "neutral"),
        ("He did not buy any fruit.", "He did not buy an apple.", "entailment"),
        ("He bought a car.", "He bought an automobile.", "entailment"),
        ("Nobody bought a car.", "Nobody bought an automobile.", "entailment"),
        ("A boy fed a dog.", "A boy fed a spoon.", "neutral"),
        ("No boy fed a dog.", "No boy fed a spoon.", None),
        ("Exactly two boys fed a dog.", "Exactly two boys fed an animal.", None),
        ("A boy fed a brown dog.", "A boy fed a dog.", "entailment"),
        ("A boy fed a dog.", "A boy fed a brown dog.", "neutral"),
        ("Nobody fed a dog.", "Nobody fed a brown dog.", "entailment"),
        ("Every dog barked.", "Every dog in the park barked.", "entailment"),
        ("He sang in the park.", "He sang.", "entailment"),
        ("He didn't sing.", "He didn't sing in the park.", "entailment"),
        ("He sang without a microphone.", "He sang.", "entailment"),
        ("Nobody sang.", "Nobody sang or danced.", "neutral"),
        ("Nobody sang or danced.", "Nobody sang.", "entailment"),
        ("Every dog barked.", "Some dog barked.", None),
        ("A boy fed a dog.", "A girl fed a poodle.", None),
        ("A boy fed a dog.", "A boy fed a dog.", None),
        ("A fruit fell.", "A red apple fell.", "neutral"),
        ("An apple fell.", "A red fruit fell.", None),
        ("He fed a brown poodle.", "He fed a dog.", "entailment"),
    ],
)
def test_a_pair_is_judged_by_its_change_and_the_place(premise, hypothesis, label):
    [judgement] = judge_pairs([(premise, hypothesis)])
    assert judgement.label == label, judgement.reason
