// The log of the whole server.
import { part } from "../client.js";
import { showLog } from "./log.js";

showLog(part("log"), "/api/audit");
