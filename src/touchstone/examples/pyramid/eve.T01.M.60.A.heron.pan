<?xml version="1.0"?>
<!DOCTYPE peerAnnotation [
 <!ELEMENT peerAnnotation (pyramid,annotation)>
 <!ELEMENT annotation (text,peerscu+)>
 <!ELEMENT peerscu (contributor)*>
 <!ATTLIST peerscu uid CDATA #REQUIRED
                   label CDATA #REQUIRED
                   comment CDATA #IMPLIED>
 <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>
 <!ELEMENT startDocumentRegEx (#PCDATA)>
 <!ELEMENT text (line*)>
 <!ELEMENT line (#PCDATA)>
 <!ELEMENT scu (contributor)+>
 <!ATTLIST scu uid CDATA #REQUIRED
               label CDATA #REQUIRED
               comment CDATA #IMPLIED>
 <!ELEMENT contributor (part)+>
 <!ATTLIST contributor label CDATA #REQUIRED
                       comment CDATA #IMPLIED>
 <!ELEMENT part EMPTY>
 <!ATTLIST part label CDATA #REQUIRED
                start CDATA #REQUIRED
                end CDATA #REQUIRED>
]>
<peerAnnotation>
 <pyramid>
  <startDocumentRegEx>\-+\n\s*\S+\.M\.[0-9]+\.[A-Za-z]\.[A-Za-z]+\s*\n\-+\n</startDocumentRegEx>
  <text>
   <line>------------</line>
   <line>T01.M.60.A.A</line>
   <line>------------</line>
   <line></line>
   <line>The iron bridge at Harrow Ford was closed in March after an inspection found cracks in two pillars.</line>
   <line>Some 4,000 people cross it every day.</line>
   <line>The town lends boats to cyclists, and the bus now takes the long way through Elmsby.</line>
   <line>Repairs will cost three million, half of it paid by the county.</line>
   <line>The bridge should open again before winter.</line>
   <line></line>
   <line>------------</line>
   <line>T01.M.60.A.B</line>
   <line>------------</line>
   <line></line>
   <line>Cracks in its pillars have kept the Harrow Ford bridge closed since March.</line>
   <line>A ferry that carries bicycles was started by volunteers.</line>
   <line>Shops on the east bank have lost a third of their customers.</line>
   <line>The county will pay half of the repair, which is to cost three million.</line>
   <line>Engineers blame road salt.</line>
   <line></line>
   <line>------------</line>
   <line>T01.M.60.A.C</line>
   <line>------------</line>
   <line></line>
   <line>Harrow Ford has had no bridge since spring: inspectors saw cracks and shut it.</line>
   <line>Buses make a detour through Elmsby that takes forty minutes.</line>
   <line>Shopkeepers on the east bank complain of lost trade.</line>
   <line>The repair will cost about three million and be finished by November.</line>
   <line>A petition asks for a footbridge to stay for good.</line>
   <line></line>
   <line>------------</line>
   <line>T01.M.60.A.D</line>
   <line>------------</line>
   <line></line>
   <line>The bridge at Harrow Ford, built in 1891, is closed because its pillars have cracks.</line>
   <line>Pupils from the east bank reach school by a detour through Elmsby.</line>
   <line>Volunteers row people across.</line>
   <line>Work began in June and should end before winter.</line>
   <line>Engineers say that salt from winter roads ate into the iron.</line>
  </text>
  <scu uid="1" label="The bridge at Harrow Ford is closed">
   <contributor label="The iron bridge at Harrow Ford was closed">
    <part label="The iron bridge at Harrow Ford was closed" start="40" end="81"/>
   </contributor>
   <contributor label="kept the Harrow Ford bridge closed">
    <part label="kept the Harrow Ford bridge closed" start="439" end="473"/>
   </contributor>
   <contributor label="Harrow Ford has had no bridge...shut it">
    <part label="Harrow Ford has had no bridge" start="745" end="774"/>
    <part label="shut it" start="815" end="822"/>
   </contributor>
   <contributor label="The bridge at Harrow Ford..., is closed">
    <part label="The bridge at Harrow Ford" start="1100" end="1125"/>
    <part label=", is closed" start="1140" end="1151"/>
   </contributor>
  </scu>
  <scu uid="2" label="The pillars of the bridge have cracks" comment="C does not say where the cracks are; the other three do.">
   <contributor label="cracks in two pillars">
    <part label="cracks in two pillars" start="117" end="138"/>
   </contributor>
   <contributor label="Cracks in its pillars">
    <part label="Cracks in its pillars" start="412" end="433"/>
   </contributor>
   <contributor label="inspectors saw cracks">
    <part label="inspectors saw cracks" start="789" end="810"/>
   </contributor>
   <contributor label="its pillars have cracks">
    <part label="its pillars have cracks" start="1160" end="1183"/>
   </contributor>
  </scu>
  <scu uid="3" label="Traffic makes a detour through Elmsby">
   <contributor label="the bus now takes the long way through Elmsby">
    <part label="the bus now takes the long way through Elmsby" start="216" end="261"/>
   </contributor>
   <contributor label="Buses make a detour through Elmsby">
    <part label="Buses make a detour through Elmsby" start="824" end="858"/>
   </contributor>
   <contributor label="by a detour through Elmsby">
    <part label="by a detour through Elmsby" start="1224" end="1250"/>
   </contributor>
  </scu>
  <scu uid="4" label="The repair costs three million">
   <contributor label="Repairs will cost three million">
    <part label="Repairs will cost three million" start="263" end="294"/>
   </contributor>
   <contributor label="the repair, which is to cost three million">
    <part label="the repair, which is to cost three million" start="633" end="675"/>
   </contributor>
   <contributor label="The repair will cost about three million">
    <part label="The repair will cost about three million" start="938" end="978"/>
   </contributor>
  </scu>
  <scu uid="5" label="The bridge is to open again before winter">
   <contributor label="The bridge should open again before winter">
    <part label="The bridge should open again before winter" start="327" end="369"/>
   </contributor>
   <contributor label="The repair...be finished by November">
    <part label="The repair" start="938" end="948"/>
    <part label="be finished by November" start="983" end="1006"/>
   </contributor>
   <contributor label="Work...should end before winter">
    <part label="Work" start="1282" end="1286"/>
    <part label="should end before winter" start="1305" end="1329"/>
   </contributor>
  </scu>
  <scu uid="6" label="Boats take people across the river">
   <contributor label="lends boats to cyclists">
    <part label="lends boats to cyclists" start="187" end="210"/>
   </contributor>
   <contributor label="A ferry that carries bicycles was started">
    <part label="A ferry that carries bicycles was started" start="487" end="528"/>
   </contributor>
   <contributor label="row people across">
    <part label="row people across" start="1263" end="1280"/>
   </contributor>
  </scu>
  <scu uid="7" label="The county pays half of the repair">
   <contributor label="Repairs...half of it paid by the county">
    <part label="Repairs" start="263" end="270"/>
    <part label="half of it paid by the county" start="296" end="325"/>
   </contributor>
   <contributor label="The county will pay half of the repair">
    <part label="The county will pay half of the repair" start="605" end="643"/>
   </contributor>
  </scu>
  <scu uid="8" label="Shops on the east bank lose trade">
   <contributor label="Shops on the east bank have lost a third of their customers">
    <part label="Shops on the east bank have lost a third of their customers" start="544" end="603"/>
   </contributor>
   <contributor label="Shopkeepers on the east bank complain of lost trade">
    <part label="Shopkeepers on the east bank complain of lost trade" start="885" end="936"/>
   </contributor>
  </scu>
  <scu uid="9" label="Road salt did the damage">
   <contributor label="Engineers blame road salt">
    <part label="Engineers blame road salt" start="677" end="702"/>
   </contributor>
   <contributor label="salt from winter roads ate into the iron">
    <part label="salt from winter roads ate into the iron" start="1350" end="1390"/>
   </contributor>
  </scu>
  <scu uid="10" label="The bridge was closed in March">
   <contributor label="was closed in March">
    <part label="was closed in March" start="71" end="90"/>
   </contributor>
   <contributor label="closed since March">
    <part label="closed since March" start="467" end="485"/>
   </contributor>
  </scu>
  <scu uid="11" label="Volunteers run the boats">
   <contributor label="A ferry...was started by volunteers">
    <part label="A ferry" start="487" end="494"/>
    <part label="was started by volunteers" start="517" end="542"/>
   </contributor>
   <contributor label="Volunteers row">
    <part label="Volunteers row" start="1252" end="1266"/>
   </contributor>
  </scu>
  <scu uid="12" label="4,000 people cross the bridge every day">
   <contributor label="Some 4,000 people cross it every day">
    <part label="Some 4,000 people cross it every day" start="140" end="176"/>
   </contributor>
  </scu>
  <scu uid="13" label="The bridge was built in 1891">
   <contributor label="The bridge at Harrow Ford, built in 1891">
    <part label="The bridge at Harrow Ford, built in 1891" start="1100" end="1140"/>
   </contributor>
  </scu>
  <scu uid="14" label="A petition asks for a footbridge">
   <contributor label="A petition asks for a footbridge">
    <part label="A petition asks for a footbridge" start="1008" end="1040"/>
   </contributor>
  </scu>
  <scu uid="15" label="The detour takes forty minutes">
   <contributor label="a detour through Elmsby that takes forty minutes">
    <part label="a detour through Elmsby that takes forty minutes" start="835" end="883"/>
   </contributor>
  </scu>
  <scu uid="16" label="The work began in June">
   <contributor label="Work began in June">
    <part label="Work began in June" start="1282" end="1300"/>
   </contributor>
  </scu>
  <scu uid="17" label="Pupils from the east bank must go the long way to school">
   <contributor label="Pupils from the east bank reach school by a detour">
    <part label="Pupils from the east bank reach school by a detour" start="1185" end="1235"/>
   </contributor>
  </scu>
 </pyramid>
 <annotation>
  <text>
   <line>The Harrow Ford bridge has been shut since March because of cracks in its pillars.</line>
   <line>Buses go round through Elmsby, and volunteers ferry people over the river.</line>
   <line>The repair costs three million.</line>
   <line>It should be open again before winter.</line>
  </text>
  <peerscu uid="1" label="(4) The bridge at Harrow Ford is closed">
   <contributor label="The Harrow Ford bridge has been shut">
    <part label="The Harrow Ford bridge has been shut" start="0" end="36"/>
   </contributor>
  </peerscu>
  <peerscu uid="2" label="(4) The pillars of the bridge have cracks">
   <contributor label="cracks in its pillars">
    <part label="cracks in its pillars" start="60" end="81"/>
   </contributor>
  </peerscu>
  <peerscu uid="3" label="(3) Traffic makes a detour through Elmsby">
   <contributor label="Buses go round through Elmsby">
    <part label="Buses go round through Elmsby" start="83" end="112"/>
   </contributor>
  </peerscu>
  <peerscu uid="4" label="(3) The repair costs three million">
   <contributor label="The repair costs three million">
    <part label="The repair costs three million" start="158" end="188"/>
   </contributor>
  </peerscu>
  <peerscu uid="5" label="(3) The bridge is to open again before winter">
   <contributor label="It should be open again before winter">
    <part label="It should be open again before winter" start="190" end="227"/>
   </contributor>
  </peerscu>
  <peerscu uid="6" label="(3) Boats take people across the river">
   <contributor label="ferry people over the river">
    <part label="ferry people over the river" start="129" end="156"/>
   </contributor>
  </peerscu>
  <peerscu uid="7" label="(2) The county pays half of the repair"/>
  <peerscu uid="8" label="(2) Shops on the east bank lose trade"/>
  <peerscu uid="9" label="(2) Road salt did the damage"/>
  <peerscu uid="10" label="(2) The bridge was closed in March">
   <contributor label="shut since March">
    <part label="shut since March" start="32" end="48"/>
   </contributor>
  </peerscu>
  <peerscu uid="11" label="(2) Volunteers run the boats">
   <contributor label="volunteers ferry people">
    <part label="volunteers ferry people" start="118" end="141"/>
   </contributor>
  </peerscu>
  <peerscu uid="12" label="(1) 4,000 people cross the bridge every day"/>
  <peerscu uid="13" label="(1) The bridge was built in 1891"/>
  <peerscu uid="14" label="(1) A petition asks for a footbridge"/>
  <peerscu uid="15" label="(1) The detour takes forty minutes"/>
  <peerscu uid="16" label="(1) The work began in June"/>
  <peerscu uid="17" label="(1) Pupils from the east bank must go the long way to school"/>
  <peerscu uid="0" label="All non-matching SCUs go here"/>
 </annotation>
</peerAnnotation>
