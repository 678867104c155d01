// Ids of elements that no other on the page has: widgets of a notebook share it, each with its own copy of this script.
import { useState } from "../vendor/preact.js";

const own = Math.random().toString(36).slice(2, 8);
let last = 0;

export const useId = () => useState(() => `r${own}-${++last}`)[0];
