import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { objectOf, textOf } from '../format/fields.ts';
import { foldKeys, lastPresent, type Reducer, type ReducerTable } from '../format/fold.ts';

/**
 * Folds the pieces of streamed tool calls. A piece belongs to the call of its id, else to the latest call at its index, else to the latest
 * call. TRICKY: some servers send every call at index 0 or without an index, none sends an id, and the arrival of a name alone tells that
 * a call begins; others repeat the name in every piece, or count the index up within one call. One identifier at several indexes is either
 * of one call (https://github.com/mudler/LocalAI/issues/9722) or, where it has whole arguments already and others come, of several
 * (https://github.com/HKUDS/nanobot/pull/3943, of DeepSeek and GLM).
 */
export function foldToolCalls(table: ReducerTable): Reducer {
  return (values) => {
    const lists = values.filter((value) => Array.isArray(value));
    return lists.length > 0 ? callsIn(lists).map((pieces) => foldKeys(pieces, table)) : lastPresent(values);
  };
}

interface Call {
  readonly pieces: JsonObject[];
  /** Index of its first piece; calls without one follow the others. */
  readonly index: number;
  id: string;
  name: string;
  readonly written: ArgumentScan;
  /** The event with its latest piece. */
  event: number;
}

interface Calls {
  readonly all: Call[];
  readonly byId: Map<string, Call>;
  readonly byIndex: Map<number, Call>;
}

/** @returns the pieces of each call, in the order of the calls' indices, then of their arrival. */
function callsIn(lists: readonly (readonly unknown[])[]): readonly (readonly JsonObject[])[] {
  const calls: Calls = { all: [], byId: new Map(), byIndex: new Map() };
  for (const [event, list] of lists.entries()) {
    for (const piece of list.filter(isJsonObject)) take(calls, piece, event);
  }
  return calls.all.toSorted((one, other) => one.index - other.index).map(({ pieces }) => pieces);
}

function take(calls: Calls, piece: JsonObject, event: number): void {
  const { all, byId, byIndex } = calls;
  const index = indexOf(piece);
  const id = textOf(piece['id']);
  const { name, text } = partsOf(piece);
  const atIndex = index === undefined ? all.at(-1) : byIndex.get(index);
  const open = openCall(calls, { id, name, atIndex });
  const isElsewhere = open !== atIndex;
  if (open !== undefined && isElsewhere && name === open.name && isRepetition(text, open)) return;
  const call = open === undefined || begins({ id, name, event, isElsewhere }, open) ? newCall(index) : open;
  if (call !== open) all.push(call);
  call.pieces.push(piece);
  call.written.pieces.push(text);
  call.event = event;
  if (id !== '') {
    call.id = id;
    byId.set(id, call);
  }
  if (name !== '') call.name = name;
  if (index !== undefined) byIndex.set(index, call);
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly atIndex: Call | undefined;
}

/** The call that a piece continues, unless it begins another. */
function openCall({ all, byId }: Calls, { id, name, atIndex }: Named): Call | undefined {
  // Of calls with one id, the one at the index.
  if (id !== '' && atIndex?.id === id) return atIndex;
  // At a new index, a piece without id and name continues the call before it, whose index went up.
  return byId.get(id) ?? atIndex ?? (id === '' && name === '' ? all.at(-1) : undefined);
}

interface Piece {
  readonly id: string;
  readonly name: string;
  readonly event: number;
  /** The open call has its id, but another index. */
  readonly isElsewhere: boolean;
}

/** Whether a piece begins a call although another is open. A piece without a name never does: some servers give each piece a new id. */
function begins({ id, name, event, isElsewhere }: Piece, open: Call): boolean {
  if (name === '' || open.name === '') return name !== '' && id !== '' && open.id !== '' && id !== open.id;
  if (id !== '' && open.id !== '') return id !== open.id || (isElsewhere && (name !== open.name || isCompleteJson(open.written)));
  return name !== open.name || open.event === event || isCompleteJson(open.written);
}

/** Whether a piece tells the whole arguments that are known. */
function isRepetition(text: string, { written }: Call): boolean {
  return text !== '' && text.length === lengthOf(written.pieces) && isCompleteJson(written) && text === written.pieces.join('');
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

function newCall(index: number | undefined): Call {
  const written: ArgumentScan = { pieces: [], scanned: 0, depth: 0, quoted: false, escaped: false, begun: false };
  return { pieces: [], index: index ?? Number.MAX_SAFE_INTEGER, id: '', name: '', written, event: -1 };
}

function indexOf({ index }: JsonObject): number | undefined {
  return typeof index === 'number' && Number.isSafeInteger(index) ? index : undefined;
}

function partsOf(piece: JsonObject): { readonly name: string; readonly text: string } {
  const { name, arguments: written, input } = objectOf(piece['function'] ?? piece['custom']);
  return { name: textOf(name), text: textOf(written) || textOf(input) };
}

/** How far the JSON of a call's arguments has come. Pieces are scanned only where the answer is needed, and each once. */
interface ArgumentScan {
  readonly pieces: string[];
  scanned: number;
  depth: number;
  quoted: boolean;
  escaped: boolean;
  begun: boolean;
}

/** Whether the arguments so far are a complete JSON object or list. */
function isCompleteJson(scan: ArgumentScan): boolean {
  for (; scan.scanned < scan.pieces.length; scan.scanned += 1) {
    for (const character of scan.pieces[scan.scanned] ?? '') advance(scan, character);
  }
  return scan.begun && scan.depth === 0 && !scan.quoted;
}

function advance(scan: ArgumentScan, character: string): void {
  if (scan.quoted) {
    if (scan.escaped) scan.escaped = false;
    else if (character === '\\') scan.escaped = true;
    else if (character === '"') scan.quoted = false;
  } else if (character === '"') scan.quoted = true;
  else if (character === '{' || character === '[') {
    scan.depth += 1;
    scan.begun = true;
  } else if (character === '}' || character === ']') scan.depth -= 1;
}
