import type { RecordedBody } from '../../model/record/request-record.ts';
import { isJsonObject, type JsonObject, parseRecordedJson, wellFormed } from '../../model/text.ts';
import { previewLimits } from '../../model/vocabulary/limits.ts';
import { listOf, objectOf, textOf } from '../../providers/format/fields.ts';

/** What a list shows of a call instead of its bodies: one line each, empty where there is nothing to show. */
export interface Previews {
  readonly inputPreview: string;
  readonly outputPreview: string;
}

/** UTF-16 units that are enough for the line of a preview. */
const enough = 2 * previewLimits.characters + 1;
/** Last messages of a request, and last parts of a message, that are looked at. */
const maxLooks = 64;
/** Results of a tool that consist of more parts are shown by the first ones. */
const maxParts = 16;

/**
 * What a request says last: what the user wrote or a tool brought.
 * @param texts those that the wire format found: a format without messages has them alone.
 */
export function inputPreviewOf(body: unknown, texts: { readonly promptText: string; readonly lastUserText: string }): string {
  return previewOf(lastSaid(objectOf(body)) ?? (texts.lastUserText === '' ? texts.promptText : texts.lastUserText));
}

/** The text of an answer, else the first tool that it calls. @param completionText as the wire format found it. */
export function outputPreviewOf(body: unknown, completionText: string): string {
  return previewOf(completionText === '' ? firstCall(objectOf(body)) : completionText);
}

/** The value of a body that is recorded: redaction may have changed it, or the caller left it out. */
export function recordedValue(
  { body, parsed }: { readonly body: RecordedBody; readonly parsed: unknown },
  recorded: RecordedBody,
): unknown {
  if (recorded === body) return body.kind === 'absent' ? undefined : parsed;
  return recorded.kind === 'json' ? parseRecordedJson(recorded.text) : undefined;
}

const space = /\s+/g;
const word = new RegExp(String.raw`\S{1,${enough}}`, 'g');
/** What a line has of white space is single spaces between words. */
const otherSpace = /^\s|[^\S ]|\s\s/;
const surrogate = /[\uD800-\uDFFF]/;

/** The beginning of a text in one line. */
export function previewOf(text: string): string {
  const start = text.slice(0, enough);
  const line = otherSpace.test(start) ? inOneLine(text) : start;
  const preview = line.slice(0, previewLimits.characters);
  // Characters that take two units each are rare, and slow to count.
  const isInUnits = preview.length === line.length || !surrogate.test(preview);
  return wellFormed(isInUnits ? preview : Array.from(line).slice(0, previewLimits.characters).join('')).trimEnd();
}

/** At least the first {@link enough} units of the line. */
function inOneLine(text: string): string {
  const start = text.slice(0, 2 * enough);
  const line = start.replaceAll(space, ' ').trimStart();
  return line.length >= enough || start.length === text.length ? line : joinedWords(text);
}

/** As {@link inOneLine}, for much white space. */
function joinedWords(text: string): string {
  let line = '';
  for (const [next] of text.matchAll(word)) {
    line = line === '' ? next : `${line} ${next}`;
    if (line.length >= enough) break;
  }
  return line;
}

/** @returns undefined where the body is no conversation, or none in which anybody but the model speaks. */
function lastSaid(body: JsonObject): string | undefined {
  if (typeof body['_type'] === 'string') return eventText(body);
  const { messages, contents, input } = body;
  const list = [messages, isJsonObject(contents) ? [contents] : contents, input].find(Array.isArray) as readonly unknown[] | undefined;
  // Texts to embed.
  if (list === undefined || list.every((item) => typeof item === 'string')) return undefined;
  for (let index = list.length - 1; index >= Math.max(0, list.length - maxLooks); index -= 1) {
    const text = saidIn(list[index], { list, index });
    if (text !== '') return text;
  }
  return undefined;
}

/** Where the calls of tools stand whose results a message brings. */
interface ToolCallPosition {
  readonly list: readonly unknown[];
  readonly index: number;
}

const rolesOfModels: ReadonlySet<unknown> = new Set(['assistant', 'model', 'system', 'developer', 'chatbot']);
const rolesOfTools: ReadonlySet<unknown> = new Set(['tool', 'function']);
/** Types of items without a role that the user or a tool brings; all others are the model's. */
const typesOfUsers: ReadonlySet<unknown> = new Set(['message', 'user_input', 'text', 'input_text']);

function saidIn(item: unknown, position: ToolCallPosition): string {
  if (!isJsonObject(item)) return textOf(item);
  const { role, type } = item;
  if (rolesOfModels.has(typeof role === 'string' ? role.toLowerCase() : role)) return '';
  if (rolesOfTools.has(role)) {
    return resultText(textOf(item['name']) || textOf(item['tool_name']) || calledName(item['tool_call_id'], position), item['content']);
  }
  if (role === undefined && typeof type === 'string' && !typesOfUsers.has(type)) return partText(item, position);
  const content = item['content'] ?? item['parts'] ?? item['text'];
  if (!Array.isArray(content)) return textOf(content);
  for (const part of content.slice(-maxLooks).toReversed()) {
    const text = partText(part, position);
    if (text !== '') return text;
  }
  return '';
}

/** What agents add to the words of their user. */
const reminder = /^\s*<system-reminder>/;

function partText(part: unknown, position: ToolCallPosition): string {
  if (!isJsonObject(part)) return textOf(part);
  const { type, functionResponse, toolResult } = part;
  if (isJsonObject(functionResponse)) return resultText(textOf(functionResponse['name']), functionResponse['response']);
  if (isJsonObject(toolResult)) return resultText(calledName(toolResult['toolUseId'], position), toolResult['content']);
  if (typeof type === 'string' && /(?:_result|_output)$/.test(type)) {
    const id = part['tool_use_id'] ?? part['call_id'];
    return resultText(textOf(part['name']) || calledName(id, position), part['content'] ?? part['output'] ?? part['result']);
  }
  const text = textOf(part['text'] ?? objectOf(objectOf(part['guardContent'])['text'])['text']);
  return reminder.test(text) ? '' : text;
}

/** The name of the tool that was called under an identifier, empty where the call is not in sight. */
function calledName(id: unknown, { list, index }: ToolCallPosition): string {
  if (typeof id !== 'string' || id === '') return '';
  for (let at = index; at >= Math.max(0, index - maxLooks); at -= 1) {
    const item = objectOf(list[at]);
    for (const each of [item, ...listOf(item['tool_calls']), ...listOf(item['content'])]) {
      const call = objectOf(each);
      const use = objectOf(call['toolUse']);
      if (call['id'] !== id && call['call_id'] !== id && use['toolUseId'] !== id) continue;
      const name = textOf(call['name'] ?? use['name'] ?? objectOf(call['function'])['name'] ?? objectOf(call['custom'])['name']);
      if (name !== '') return name;
    }
  }
  return '';
}

function resultText(name: string, content: unknown): string {
  const text = Array.isArray(content)
    ? content
        .slice(0, maxParts)
        .map((part) =>
          isJsonObject(part) && part['json'] === undefined ? textOf(part['text']) : valueText(objectOf(part)['json'] ?? part),
        )
        .join(' ')
    : valueText(content);
  return [name, text].filter((each) => each !== '').join(': ');
}

const namesOfEvents: ReadonlySet<string> = new Set(['_type', 'toolName', 'name']);

/** What a tool was asked, or brought, that was logged by itself. */
function eventText(event: JsonObject): string {
  const { toolName, name, input, output, text } = event;
  const others = Object.entries(event).filter(([member]) => !namesOfEvents.has(member));
  const said = input ?? output ?? text ?? (others.length === 0 ? undefined : Object.fromEntries(others));
  return [textOf(toolName ?? name), valueText(said)].filter((each) => each !== '').join(' ');
}

/** Members that hold a message or the parts of one, in the order in which answers are looked through. */
function answerParts(body: JsonObject): readonly unknown[] {
  const { content, message, output, outputs, steps, tool_calls: calls } = body;
  const messages = [
    objectOf(objectOf(listOf(body['choices'])[0])['message']),
    objectOf(objectOf(listOf(body['candidates'])[0])['content']),
    objectOf(message),
    objectOf(objectOf(output)['message']),
  ];
  return [
    ...messages.flatMap((each) => [
      ...listOf(each['content']),
      ...listOf(each['parts']),
      ...listOf(each['tool_calls']),
      ...(isJsonObject(each['function_call']) ? [{ function: each['function_call'] }] : []),
    ]),
    ...[content, output, outputs, steps, calls].flatMap(listOf),
  ];
}

function firstCall(body: JsonObject): string {
  if (typeof body['_type'] === 'string') return eventText(body);
  for (const part of answerParts(body)) {
    const text = callText(objectOf(part));
    if (text !== '') return text;
  }
  return '';
}

const callTypes: ReadonlySet<unknown> = new Set([
  'tool_use',
  'server_tool_use',
  'mcp_tool_use',
  'function_call',
  'custom_tool_call',
  'mcp_call',
]);

function callText(part: JsonObject): string {
  for (const member of ['function', 'custom', 'functionCall', 'toolUse']) {
    const call = part[member];
    if (isJsonObject(call)) return namedCall(call);
  }
  const { type } = part;
  if (callTypes.has(type) || (type === undefined && isJsonObject(part['parameters']))) return namedCall(part);
  if (typeof type !== 'string' || !type.endsWith('_call')) return '';
  // Tools of the provider have no name but their type.
  return `${type.slice(0, -'_call'.length)} ${valueText(part['action'] ?? part['code'] ?? part['queries'])}`;
}

function namedCall(call: JsonObject): string {
  const name = textOf(call['name']);
  const input = call['arguments'] ?? call['input'] ?? call['args'] ?? call['parameters'];
  return name === '' ? '' : `${name} ${valueText(input)}`;
}

/** A value in one line: a text as it is, all else as JSON, whose end may be left out. */
function valueText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return wellFormed(value);
  const line = new JsonLine();
  line.add(value);
  return line.text;
}

/** JSON as far as it is enough for a preview. */
class JsonLine {
  text = '';

  add(value: unknown): void {
    if (Array.isArray(value)) this.addMembers('[', value.entries(), ']');
    else if (isJsonObject(value)) this.addMembers('{', membersOf(value), '}');
    else if (typeof value === 'string') this.text += JSON.stringify(value.slice(0, enough));
    // Its digits may be others than those that came.
    else this.text += typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER ? '…' : JSON.stringify(value);
  }

  private addMembers(open: string, members: Iterable<readonly [string | number, unknown]>, close: string): void {
    this.text += open;
    let isFirst = true;
    for (const [name, value] of members) {
      if (this.text.length > enough) return;
      if (!isFirst) this.text += ',';
      isFirst = false;
      if (typeof name === 'string') this.text += `${JSON.stringify(name.slice(0, enough))}:`;
      this.add(value);
    }
    this.text += close;
  }
}

function* membersOf(object: JsonObject): Iterable<readonly [string, unknown]> {
  for (const name in object) if (Object.hasOwn(object, name)) yield [name, object[name]];
}
