// The log of the whole server.
import { showLog } from "./log.js";

showLog(document.getElementById("log"), "/api/audit");
