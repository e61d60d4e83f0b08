// Opens packed items of the map and filters it. Without this script the map still links to the items that are plain.
(() => {
  const map = document.querySelector(".map");
  const opened = document.querySelector(".opened");
  if (!map || !opened) return;
  const links = [...map.querySelectorAll("a")];
  /** The markup of packed items, by their ids. @type {Map<string, string>} */
  const packed = new Map();

  /** Put an item into the page: it must be there before the browser looks for the target of a link. @param {string} id */
  const unpack = (id) => {
    const article = packed.get(id);
    if (article && !document.getElementById(id)) opened.insertAdjacentHTML("beforeend", article);
  };
  document.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest("a") : null;
    if (link) unpack(link.hash.slice(1));
  });

  const mark = () => {
    for (const link of links) link.toggleAttribute("aria-current", link.hash === location.hash);
  };
  window.addEventListener("hashchange", mark);

  const read = async () => {
    const store = document.getElementById("packed");
    if (!(store instanceof HTMLTemplateElement)) return;
    const bytes = Uint8Array.from(atob(store.content.textContent ?? ""), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const text = await new Response(stream).text();
    for (const article of text.split("\n")) packed.set(article.slice(13, article.indexOf('"', 13)), article);
    const wanted = location.hash.slice(1);
    if (packed.has(wanted)) {
      unpack(wanted);
      location.replace(`#${wanted}`);
    }
  };

  /** Return the text of packed markup. @param {string} html */
  const decoded = (html) => new DOMParser().parseFromString(html, "text/html").body.textContent ?? "";

  const filter = () => {
    const box = /** @type {HTMLElement | null} */ (document.querySelector(".filter"));
    const input = box?.querySelector("input");
    const output = box?.querySelector("output");
    if (!box || !input || !output) return;
    /** The texts of all items by their ids, collected when somebody begins to filter. @type {Map<string, string>} */
    const texts = new Map();
    const collect = () => {
      for (const [id, html] of packed) texts.set(id, decoded(html).toLowerCase());
      for (const article of opened.children) texts.set(article.id, (article.textContent ?? "").toLowerCase());
    };
    box.hidden = false;
    input.addEventListener("input", () => {
      if (!texts.size) collect();
      const wanted = input.value.trim().toLowerCase();
      for (const link of links) {
        link.hidden = wanted !== "" && !texts.get(link.hash.slice(1))?.includes(wanted);
      }
      output.textContent = wanted ? `${links.filter((link) => !link.hidden).length} of ${links.length} items` : "";
    });
  };

  mark();
  read().then(filter);
})();
