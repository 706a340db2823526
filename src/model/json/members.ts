/** JSON's white space. */
const blank = /[ \t\r\n]*/y;
/** What opens and closes in JSON outside of strings. */
const structure = /["{}[\]]/g;
const scalarEnd = /[,}\]\s]|$/g;

/**
 * The text of each member of a JSON object as it stands there, by name: a number keeps all its digits. Of members with one name the last
 * counts, as with `JSON.parse`. @throws SyntaxError when the text is no JSON object; it is checked no further than is needed to find them.
 */
export function jsonMembers(json: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let at = behind(json, skipBlank(json, 0), '{');
  if (json[at] === '}') return members;
  for (;;) {
    const nameEnd = stringEnd(json, at);
    const name = JSON.parse(json.slice(at, nameEnd)) as string;
    const start = behind(json, skipBlank(json, nameEnd), ':');
    const end = valueEnd(json, start);
    members.set(name, json.slice(start, end));
    at = skipBlank(json, end);
    if (json[at] === '}') return members;
    at = behind(json, at, ',');
  }
}

function behind(json: string, at: number, character: string): number {
  if (json[at] !== character) throw new SyntaxError(`A JSON object has ${character} at ${at}.`);
  return skipBlank(json, at + 1);
}

function skipBlank(json: string, at: number): number {
  blank.lastIndex = at;
  blank.exec(json);
  return blank.lastIndex;
}

/** @param at of the opening quotation mark. */
function stringEnd(json: string, at: number): number {
  if (json[at] !== '"') throw new SyntaxError(`A JSON string begins at ${at}.`);
  for (let quote = json.indexOf('"', at + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  throw new SyntaxError(`The JSON string at ${at} does not end.`);
}

function valueEnd(json: string, at: number): number {
  const first = json[at];
  if (first === '"') return stringEnd(json, at);
  if (first !== '{' && first !== '[') {
    scalarEnd.lastIndex = at;
    return scalarEnd.exec(json)?.index ?? json.length;
  }
  let depth = 0;
  structure.lastIndex = at;
  for (let found = structure.exec(json); found !== null; found = structure.exec(json)) {
    if (found[0] === '"') structure.lastIndex = stringEnd(json, found.index);
    else if (found[0] === '{' || found[0] === '[') depth += 1;
    else depth -= 1;
    if (depth === 0) return structure.lastIndex;
  }
  throw new SyntaxError(`The JSON value at ${at} does not end.`);
}
