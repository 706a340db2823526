import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { asText, objectsIn, textMember, type ToolCall } from './chat-message.ts';

/** What the parts of one message hold, sorted by where OpenAI's chat has it. */
export interface SortedParts {
  readonly texts: readonly string[];
  /** Pictures, files and whatever has no other place, in their own form; texts among them too when there is one. */
  readonly content: readonly JsonObject[];
  readonly reasoning: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  readonly toolResults: readonly ToolResult[];
}

export interface ToolResult {
  readonly id: string;
  readonly name: string;
  readonly content: string;
}

type Sort = (part: JsonObject) => Partial<Record<'text' | 'reasoning' | 'toolCall' | 'toolResult' | 'other', unknown>>;

const text: Sort = (part) => ({ text: textMember(part, ['text', 'content', 'input_text', 'output_text', 'refusal']) });
const reasoning: Sort = (part) => ({ reasoning: textMember(part, ['content', 'text', 'thinking', 'reasoning']) || thoughtsIn(part) });
const toolCall: Sort = (part) => ({ toolCall: toolCallOf(part) });
const toolResult: Sort = (part) => ({ toolResult: toolResultOf(part) });
const other: Sort = (part) => ({ other: part });

/**
 * Types of parts by the dialect that has them: OpenTelemetry (`text`, `reasoning`, `tool_call`, `tool_call_response`), the AI SDK
 * (`tool-call`, `tool-result`), Anthropic (`thinking`, `tool_use`, `tool_result`), OpenAI (`input_text`, `output_text`, `refusal`). Parts
 * of any other type stay as they are.
 */
const sorts: ReadonlyMap<string, Sort> = new Map([
  ['text', text],
  ['input_text', text],
  ['output_text', text],
  ['refusal', text],
  ['reasoning', reasoning],
  ['thinking', reasoning],
  ['tool_call', toolCall],
  ['tool-call', toolCall],
  ['tool_use', toolCall],
  ['function_call', toolCall],
  ['custom_tool_call', toolCall],
  ['tool_call_response', toolResult],
  ['tool-result', toolResult],
  ['tool_result', toolResult],
  ['function_call_output', toolResult],
  ['custom_tool_call_output', toolResult],
]);

/** Types of items that stand beside messages in OpenAI's Responses, without a role. */
export function isItem({ type, role }: JsonObject): boolean {
  return role === undefined && typeof type === 'string' && type !== 'message' && (sorts.has(type) || /_call(?:_output)?$/.test(type));
}

/** An item of OpenAI's Responses has the summary, or the thoughts themselves, as lists of texts. */
function thoughtsIn({ summary, content }: JsonObject): string {
  const texts = [summary, content].flatMap(objectsIn).map((each) => textMember(each, ['text']));
  return texts.filter((each) => each !== '').join('\n');
}

export function sortParts(parts: readonly unknown[]): SortedParts {
  const sorted = { texts: [] as string[], content: [] as JsonObject[], reasoning: [] as string[] };
  const toolCalls: ToolCall[] = [];
  const toolResults: ToolResult[] = [];
  for (const part of parts) {
    const found = typeof part === 'string' ? { text: part } : isJsonObject(part) ? sortOf(part)(part) : {};
    if (typeof found.text === 'string' && found.text !== '') {
      sorted.texts.push(found.text);
      sorted.content.push({ type: 'text', text: found.text });
    }
    if (typeof found.reasoning === 'string' && found.reasoning !== '') sorted.reasoning.push(found.reasoning);
    if (found.toolCall !== undefined && !isEmpty(found.toolCall as ToolCall)) toolCalls.push(found.toolCall as ToolCall);
    if (found.toolResult !== undefined) toolResults.push(found.toolResult as ToolResult);
    if (isJsonObject(found.other)) sorted.content.push(found.other);
  }
  return { ...sorted, toolCalls, toolResults };
}

function sortOf(part: JsonObject): Sort {
  const type = part['type'];
  if (typeof type === 'string') return sorts.get(type) ?? other;
  // Gemini's and Bedrock's parts have no type.
  return typeof part['text'] === 'string' ? text : other;
}

/** Some instrumentations write a part for a call, and what it calls elsewhere. */
function isEmpty({ function: { name, arguments: called } }: ToolCall): boolean {
  return name === '' && called === '';
}

/** A call in any dialect; OpenAI's own has the function in a member. */
export function toolCallOf(call: JsonObject): ToolCall {
  const named = isJsonObject(call['function']) ? call['function'] : call;
  const id = textMember(call, ['call_id', 'id', 'toolCallId', 'tool_call_id']);
  const called = named['arguments'] ?? named['args'] ?? named['input'];
  return {
    ...(id === '' ? {} : { id }),
    type: 'function',
    function: { name: textMember(named, ['name', 'toolName', 'tool_name']), arguments: asText(called) },
  };
}

function toolResultOf(part: JsonObject): ToolResult {
  const result = part['response'] ?? part['result'] ?? part['output'] ?? part['content'];
  return {
    id: textMember(part, ['call_id', 'id', 'toolCallId', 'tool_call_id', 'tool_use_id']),
    name: textMember(part, ['name', 'toolName']),
    content: asText(outputOf(result)),
  };
}

/** The AI SDK wraps outputs as `{type: "text" | "json", value}`. */
function outputOf(result: unknown): unknown {
  return isJsonObject(result) && typeof result['type'] === 'string' && 'value' in result ? result['value'] : result;
}
