// Opens packed items of the map and filters it. Without this script the map still links to the items that are plain.
(() => {
  const map = document.querySelector(".map");
  if (!map) return;
  const opened = document.querySelector(".opened");
  const packed = new Map();
  const links = [...map.querySelectorAll("a")];

  // An item must be in the page before the browser looks for the target of a link.
  const unpack = (id) => {
    if (packed.has(id) && !document.getElementById(id)) opened.insertAdjacentHTML("beforeend", packed.get(id));
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest('a[href^="#i"]');
    if (link) unpack(link.hash.slice(1));
  });

  const mark = () => {
    for (const link of links) link.toggleAttribute("aria-current", link.hash === location.hash);
  };
  window.addEventListener("hashchange", mark);

  const read = async () => {
    const store = document.getElementById("packed");
    if (!store) return;
    const bytes = Uint8Array.from(atob(store.content.textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const text = await new Response(stream).text();
    for (const article of text.split("\n")) packed.set(article.slice(13, article.indexOf('"', 13)), article);
    const wanted = location.hash.slice(1);
    if (packed.has(wanted)) {
      unpack(wanted);
      location.replace(`#${wanted}`);
    }
  };

  const letters = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };
  const decoded = (html) => html.replace(/<[^>]*>/g, " ").replace(/&(amp|lt|gt|quot|#x27);/g, (_, name) => letters[name]);
  const filter = () => {
    const box = document.querySelector(".filter");
    if (!box) return;
    const input = box.querySelector("input");
    const texts = new Map([...packed].map(([id, html]) => [id, decoded(html).toLowerCase()]));
    for (const article of opened.children) texts.set(article.id, article.textContent.toLowerCase());
    box.hidden = false;
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      let kept = 0;
      for (const link of links) {
        link.hidden = wanted !== "" && !(texts.get(link.hash.slice(1)) || "").includes(wanted);
        kept += link.hidden ? 0 : 1;
      }
      box.querySelector("output").textContent = wanted ? `${kept} of ${links.length} items` : "";
    });
  };
  mark();
  read().then(filter);
})();
