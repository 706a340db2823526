import { ownOf } from '../../../lib/own.ts';
import { arrayOf, firstText, isObject, type Json, objectsOf, parsed, textOf } from './json.ts';
import { audioPart, base64Image, dataPart, filePart, imagePart, linkPart, sourcePart } from './media.ts';
import type { Part } from './part.ts';

/** Of a message or a result of a tool: a text, or a list of parts. */
export function partsOf(content: unknown): readonly Part[] {
  if (typeof content === 'string') return textPart(content);
  if (isObject(content)) return partOf(content);
  return arrayOf(content).flatMap((part) => (typeof part === 'string' ? textPart(part) : isObject(part) ? partOf(part) : []));
}

export function textPart(text: unknown): readonly Part[] {
  return typeof text === 'string' && text !== '' ? [{ kind: 'text', text }] : [];
}

export function reasoningPart(text: unknown): readonly Part[] {
  return typeof text === 'string' && text !== '' ? [{ kind: 'reasoning', text }] : [];
}

type Read = (part: Json) => readonly Part[];

/** Parts that say their type: those of OpenAI, Anthropic, Cohere, and of Google's interactions. */
const byType: Readonly<Record<string, Read>> = {
  text: ({ text }) => textPart(text),
  input_text: ({ text }) => textPart(text),
  output_text: ({ text }) => textPart(text),
  summary_text: ({ text }) => textPart(text),
  reasoning_text: ({ text }) => textPart(text),
  message: ({ content }) => partsOf(content),
  user_input: ({ content }) => partsOf(content),
  model_output: ({ content }) => partsOf(content),
  thinking: ({ thinking }) => (typeof thinking === 'string' ? reasoningPart(thinking) : [reasoning(partsOf(thinking))]),
  redacted_thinking: () => [{ kind: 'reasoning', text: undefined }],
  thought: ({ summary }) => [reasoning(partsOf(summary))],
  reasoning: ({ summary, content }) => [reasoning([...partsOf(content), ...partsOf(summary)])],
  refusal: ({ refusal }) => (typeof refusal === 'string' ? [{ kind: 'refusal', text: refusal }] : []),
  tool_use: toolUse,
  server_tool_use: toolUse,
  mcp_tool_use: toolUse,
  function_call: ({ call_id: callId, id, name, arguments: input }) => [
    { kind: 'tool-call', id: firstText(callId, id), name: textOf(name), input: parsed(input) },
  ],
  custom_tool_call: ({ call_id: callId, name, input }) => [{ kind: 'tool-call', id: textOf(callId), name: textOf(name), input }],
  tool_result: (part) => toolResult(part['tool_use_id'], part['content'], part['is_error'] === true),
  mcp_tool_result: (part) => toolResult(part['tool_use_id'], part['content'], part['is_error'] === true),
  function_call_output: (part) => toolResult(part['call_id'], part['output']),
  custom_tool_call_output: (part) => toolResult(part['call_id'], part['output']),
  function_result: (part) => toolResult(part['call_id'], part['result'], part['is_error'] === true),
  image_url: ({ image_url: image }) => imagePart(isObject(image) ? image['url'] : image),
  input_image: ({ image_url: image, file_id: id }) => imagePart(image ?? id),
  image: (part) => (isObject(part['source']) ? sourcePart(part) : googleMedia(part)),
  audio: (part) => googleMedia(part),
  document: (part) => (isObject(part['source']) ? sourcePart(part) : cohereDocument(part)),
  input_audio: ({ input_audio: audio }) => (isObject(audio) ? [audioPart(textOf(audio['format']), textOf(audio['data']))] : []),
  file: ({ file }) => (isObject(file) ? filePart(file) : []),
  input_file: (part) => filePart(part),
  image_generation_call: ({ result, output_format: format }) => base64Image(format, result),
};

function partOf(part: Json): readonly Part[] {
  const { type } = part;
  const read = typeof type === 'string' ? ownOf(byType, type) : undefined;
  return read === undefined ? untypedPart(part) : read(part);
}

/** Parts of Gemini and of Amazon's Converse say by their member what they are. */
function untypedPart(part: Json): readonly Part[] {
  if (typeof part['text'] === 'string') return part['thought'] === true ? reasoningPart(part['text']) : textPart(part['text']);
  for (const [member, read] of Object.entries(byMember)) {
    const value = part[member];
    if (isObject(value)) return read(value);
  }
  // Where a prompt may be cached says nothing.
  return 'cachePoint' in part ? [] : [{ kind: 'other', value: part }];
}

const byMember: Readonly<Record<string, Read>> = {
  functionCall: ({ id, name, args }) => [{ kind: 'tool-call', id: textOf(id), name: textOf(name), input: args }],
  functionResponse: ({ id, name, response }) => [
    { kind: 'tool-result', id: textOf(id), name: textOf(name), isError: false, parts: [{ kind: 'other', value: response }] },
  ],
  inlineData,
  inline_data: inlineData,
  fileData: filePart,
  file_data: filePart,
  executableCode: ({ language, code }) => [{ kind: 'tool-call', id: '', name: firstText(language, 'code'), input: code }],
  codeExecutionResult: ({ output, outcome }) => toolResult('', output, outcome !== undefined && outcome !== 'OUTCOME_OK'),
  toolUse: ({ toolUseId, name, input }) => [{ kind: 'tool-call', id: textOf(toolUseId), name: textOf(name), input }],
  toolResult: ({ toolUseId, content, status }) => toolResult(toolUseId, content, status === 'error'),
  json: (value) => [{ kind: 'other', value }],
  image: ({ format, source }) => (isObject(source) ? base64Image(format, source['bytes']) : []),
  document: ({ name, format }) => [{ kind: 'file', name: textOf(name), type: textOf(format), bytes: 0 }],
  guardContent: ({ text }) => partsOf(text),
  reasoningContent: ({ reasoningText }) => [
    { kind: 'reasoning', text: isObject(reasoningText) ? textOf(reasoningText['text']) : undefined },
  ],
};

function toolUse({ id, name, input }: Json): readonly Part[] {
  return [{ kind: 'tool-call', id: textOf(id), name: textOf(name), input }];
}

function toolResult(id: unknown, content: unknown, isError = false): readonly Part[] {
  const parts = partsOf(content);
  return [{ kind: 'tool-result', id: textOf(id), name: '', isError, parts }];
}

function reasoning(parts: readonly Part[]): Part {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  return { kind: 'reasoning', text: texts.length === 0 ? undefined : texts.join('\n\n') };
}

function inlineData(data: Json): readonly Part[] {
  return dataPart(firstText(data['mimeType'], data['mime_type']), textOf(data['data']), textOf(data['displayName']));
}

function googleMedia(part: Json): readonly Part[] {
  const address = firstText(part['uri'], part['url']);
  if (address !== '') return linkPart(part['type'] === 'audio' ? 'Audio' : 'Picture', address);
  return dataPart(textOf(part['mime_type']), textOf(part['data']));
}

function cohereDocument({ document }: Json): readonly Part[] {
  const data = isObject(document) ? document['data'] : document;
  return typeof data === 'string' ? textPart(data) : [{ kind: 'other', value: data }];
}

/** Members of a message that hold its thoughts: those of DeepSeek and vLLM, OpenRouter, Ollama, and Cohere's plan of its calls. */
export const reasoningMembers = ['reasoning_content', 'reasoning', 'thinking', 'tool_plan'] as const;

/** What a request wants embedded, in the formats of Google, Cohere and Amazon; OpenAI's is an input. */
export function embeddedContents(body: Json): readonly unknown[] {
  const google = isObject(body['content']) ? [body['content']] : objectsOf(body['requests']).map(({ content }) => content);
  const cohere = [...arrayOf(body['texts']), ...objectsOf(body['inputs']).map(({ content }) => content)];
  return [...objectsOf(google).map(({ parts }) => parts), ...cohere, body['inputText']];
}

/** The calls of a message in the format of OpenAI's chats. */
export function toolCalls(calls: unknown): readonly Part[] {
  return objectsOf(calls).map((call) => {
    const { function: called, custom } = call;
    const id = textOf(call['id']);
    if (isObject(called)) return { kind: 'tool-call', id, name: textOf(called['name']), input: parsed(called['arguments']) };
    return isObject(custom)
      ? { kind: 'tool-call', id, name: textOf(custom['name']), input: custom['input'] }
      : { kind: 'other', value: call };
  });
}

/** The error of a response's body. */
export function errorPart(body: Json): readonly Part[] {
  const { error } = body;
  if (typeof error === 'string' && error !== '') return [{ kind: 'error', code: '', text: error }];
  if (!isObject(error)) return [];
  const code = [error['type'], error['status'], error['code']].find((one) => typeof one === 'string' && one !== '');
  return [{ kind: 'error', code: textOf(code), text: firstText(error['message'], JSON.stringify(error)) }];
}
