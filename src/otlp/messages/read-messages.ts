import { isJsonObject, type JsonObject, parseJson } from '../../model/text.ts';
import { asText, type ChatChoice, type ChatMessage, textMember, objectsIn, unpacked } from './chat-message.ts';
import { isItem, sortParts, type SortedParts, toolCallOf } from './parts.ts';

/**
 * Reads the messages of a prompt, whatever dialect wrote them: OpenTelemetry's `{role, parts}`, the AI SDK's and the providers' `{role,
 * content}`, a plain text. Never throws: what has no place in a chat stays in its own form.
 * @param value a list, JSON text of one, or a text.
 */
export function readMessages(value: unknown): readonly ChatMessage[] {
  const messages = unpacked(value);
  if (typeof messages === 'string') return messages === '' ? [] : [{ role: 'user', content: messages }];
  const list = Array.isArray(messages) ? messages : isJsonObject(messages) ? [messages] : [];
  return list.flatMap((message: unknown) => messagesOf(message, 'user'));
}

/** Reads the messages of a response. @param finishReasons for those that tell none. */
export function readChoices(value: unknown, finishReasons: readonly string[]): readonly ChatChoice[] {
  const answers = unpacked(value);
  const list = Array.isArray(answers) ? answers : answers === undefined || answers === null || answers === '' ? [] : [answers];
  return list.flatMap((answer: unknown, index) => {
    const said = isJsonObject(answer) ? textMember(answer, ['finish_reason', 'finishReason']) : '';
    const finishReason = said === '' ? (finishReasons[index] ?? finishReasons[0] ?? '') : said;
    return messagesOf(answer, 'assistant').map((message) => ({ message, finishReason }));
  });
}

/** Reads `gen_ai.system_instructions`: a list of parts or texts, or one text. */
export function readSystemInstructions(value: unknown): readonly ChatMessage[] {
  const parts = unpacked(value);
  if (parts === undefined || parts === null || parts === '') return [];
  const { texts } = sortParts(Array.isArray(parts) ? parts : [parts]);
  return texts.length === 0 ? [] : [{ role: 'system', content: texts.join('\n') }];
}

/** Results of tools each become a message of their own, as OpenAI's chat has them. */
function messagesOf(message: unknown, usualRole: string): readonly ChatMessage[] {
  if (typeof message === 'string') return [{ role: usualRole, content: message }];
  if (!isJsonObject(message)) return [];
  const isAlone = isItem(message);
  const sorted = sortParts(isAlone ? [message] : partsOf(message));
  const role = textMember(message, ['role']) || (isAlone && sorted.texts.length === 0 ? 'assistant' : usualRole);
  const results = sorted.toolResults.map(({ id, name, content }): ChatMessage => ({
    role: 'tool',
    ...(id === '' ? {} : { tool_call_id: id }),
    ...(name === '' ? {} : { name }),
    content,
  }));
  const rest = sorted.content.length > 0 || sorted.toolCalls.length > 0 || sorted.reasoning.length > 0;
  return results.length > 0 && !rest ? results : [...results, chatMessage(isAlone ? {} : message, role, sorted)];
}

function partsOf(message: JsonObject): readonly unknown[] {
  const content = unpackedParts(message['parts'] ?? message['content'] ?? message['contents'] ?? message['text']);
  return Array.isArray(content) ? content : content === undefined || content === null ? [] : [content];
}

/** A text that happens to be JSON is a text; only a list of parts is unpacked. */
function unpackedParts(content: unknown): unknown {
  const inner = unpacked(content);
  return Array.isArray(inner) && inner.length > 0 && inner.every((part) => isJsonObject(part) && typeof part['type'] === 'string')
    ? inner
    : content;
}

function chatMessage(message: JsonObject, role: string, sorted: SortedParts): ChatMessage {
  const toolCalls = [...sorted.toolCalls, ...objectsIn(message['tool_calls'] ?? message['toolCalls']).map(toolCallOf)];
  const reasoning = sorted.reasoning.join('\n') || textMember(message, ['reasoning_content', 'reasoning']);
  const id = role === 'tool' ? textMember(message, ['tool_call_id', 'toolCallId', 'id']) : '';
  const name = textMember(message, ['name']);
  return {
    role,
    content: contentOf(sorted, toolCalls.length > 0),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(name === '' ? {} : { name }),
    ...(id === '' ? {} : { tool_call_id: id }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}

/** One text stays a text; several parts, or one that is no text, are a list. */
function contentOf({ texts, content }: SortedParts, hasCalls: boolean): ChatMessage['content'] {
  const [only] = texts;
  if (content.length === 0) return hasCalls ? null : '';
  return content.length === 1 && only !== undefined ? only : content;
}

/** Reads the tools that a model was offered, in OpenAI's form where they are functions. */
export function readTools(value: unknown): readonly JsonObject[] {
  const tools = unpacked(value);
  const list = Array.isArray(tools) ? tools.map(unpacked) : [];
  return list.filter(isJsonObject).map(toolOf);
}

function toolOf(tool: JsonObject): JsonObject {
  const type = textMember(tool, ['type']);
  const isFunction = type === '' || type === 'function';
  if (!isFunction || isJsonObject(tool['function'])) return tool;
  const description = textMember(tool, ['description']);
  const parameters = unpacked(tool['parameters'] ?? tool['inputSchema'] ?? tool['input_schema']);
  return {
    type: 'function',
    function: {
      name: textMember(tool, ['name']),
      ...(description === '' ? {} : { description }),
      ...(isJsonObject(parameters) ? { parameters } : {}),
    },
  };
}

/** The input of an operation that is no chat: a text, or each text of a list. */
export function readTexts(value: unknown): readonly string[] {
  const texts = unpacked(value);
  if (Array.isArray(texts)) return texts.map((each) => asText(textOfInput(each)));
  return texts === undefined || texts === null ? [] : [asText(texts)];
}

/** The AI SDK writes each text as JSON of its own. */
function textOfInput(value: unknown): unknown {
  return typeof value === 'string' && value.startsWith('"') ? (parseJson(value) ?? value) : value;
}
