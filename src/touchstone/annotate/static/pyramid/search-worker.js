// Runs one regular expression over some texts; the page ends this worker when it takes too long.
import { findAll } from "./finding.js";

postMessage("ready");
self.onmessage = ({ data: { source, texts } }) => postMessage(findAll(source, texts));
