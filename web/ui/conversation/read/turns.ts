import { ownOf } from '../../../lib/own.ts';
import { arrayOf, firstText, isObject, type Json, objectsOf, parsed, textOf } from './json.ts';
import { audioPart, base64Image, imagePart } from './media.ts';
import type { Part, Role, Turn } from './part.ts';
import { embeddedContents, errorPart, partsOf, reasoningMembers, reasoningPart, textPart, toolCalls } from './parts.ts';
import { isStep, stepCall, stepResult } from './steps.ts';

/** The turns of a request's body in any format that a provider has of its own; empty for any other. */
export function turnsOfRequest(body: unknown): readonly Turn[] {
  if (!isObject(body)) return [];
  if (isStep(body)) return turn('tool', stepCall(body));
  const google = body['systemInstruction'] ?? body['system_instruction'];
  const turns = [
    ...turnOf('system', body['system']),
    ...turnOf('system', body['instructions']),
    ...turnOf('system', isObject(google) ? google['parts'] : google),
    ...messages(body['messages']),
    ...messages(isObject(body['contents']) ? [body['contents']] : body['contents']),
    ...inputs(body['input']),
    ...turnOf('user', body['prompt']),
    ...embeddedContents(body).flatMap((content) => turnOf('user', content)),
  ];
  return joined(turns);
}

/** The turns of a response's body. An error of a provider is one. @param request The body to which a tool answered, whose reply may be anything. */
export function turnsOfResponse(body: unknown, request?: unknown): readonly Turn[] {
  if (isStep(request) && body !== null && body !== undefined) return turn('tool', stepResult(body, request));
  // The elements of a list are the chunks of one answer.
  if (Array.isArray(body)) return joined(objectsOf(body).flatMap((chunk) => turnsOfResponse(chunk)));
  if (!isObject(body)) return [];
  if (typeof body['base64'] === 'string') return binary(body);
  const choices = objectsOf(body['choices']).flatMap((choice) =>
    isObject(choice['message']) ? messages([choice['message']]) : turnOf('assistant', choice['text']),
  );
  const candidates = objectsOf(body['candidates']).flatMap(({ content }) =>
    isObject(content) ? messages([{ role: 'model', ...content }]) : [],
  );
  const isMessage = body['type'] === 'message' || body['role'] === 'assistant';
  const output = isObject(body['output']) ? messages([body['output']['message']]) : inputs(body['output']);
  return joined([
    ...choices,
    ...candidates,
    ...(isMessage ? messages([{ role: 'assistant', content: body['content'] }]) : []),
    ...(isObject(body['message']) ? messages([body['message']]) : []),
    ...output,
    ...inputs(body['steps']),
    ...turn('assistant', [...vectors(body), ...media(body), ...errorPart(body)]),
  ]);
}

/** A body that is no text: a picture or a recording. */
function binary({ base64, content_type: type }: Json): readonly Turn[] {
  const name = textOf(type);
  if (name.startsWith('image/')) return turn('assistant', base64Image(name, base64));
  return name.startsWith('audio/') ? turn('assistant', [audioPart(name, textOf(base64))]) : [];
}

function inputs(input: unknown): readonly Turn[] {
  if (typeof input === 'string') return turnOf('user', input);
  // Texts to embed, and tokens of such a text.
  if (arrayOf(input).every((one) => typeof one === 'string')) return arrayOf(input).flatMap((text) => turnOf('user', text));
  return messages(input);
}

function messages(list: unknown): readonly Turn[] {
  return objectsOf(list).flatMap(messageTurns);
}

/** Items of the responses API, and steps of an interaction, say by their type whose they are. */
const roleOfType: Readonly<Record<string, Role>> = {
  function_call_output: 'tool',
  custom_tool_call_output: 'tool',
  function_result: 'tool',
  user_input: 'user',
};

function messageTurns(message: Json): readonly Turn[] {
  const { role, type } = message;
  if (typeof type === 'string' && role === undefined) {
    return turn(ownOf(roleOfType, type) ?? 'assistant', partsOf([message]));
  }
  const parts = [
    ...reasoningPart(firstText(...reasoningMembers.map((member) => message[member]))),
    ...partsOf(message['content'] ?? message['parts']),
    ...(typeof message['refusal'] === 'string' ? [{ kind: 'refusal', text: message['refusal'] } as const] : []),
    ...arrayOf(message['images']).flatMap(pictureOf),
    ...audioParts(message['audio']),
    ...toolCalls(message['tool_calls']),
    ...oldCall(message['function_call']),
  ];
  const name = roleOf(role);
  if (name !== 'tool') return apart(name, parts);
  const id = textOf(message['tool_call_id']);
  return turn(name, [{ kind: 'tool-result', id, name: firstText(message['name'], message['tool_name']), isError: false, parts }]);
}

/** Formats that bring results of tools in messages of the user: they become turns of their own, before what the user said. */
function apart(role: Role, parts: readonly Part[]): readonly Turn[] {
  if (role !== 'user') return turn(role, parts);
  return [
    ...turn(
      'tool',
      parts.filter(({ kind }) => kind === 'tool-result'),
    ),
    ...turn(
      'user',
      parts.filter(({ kind }) => kind !== 'tool-result'),
    ),
  ];
}

const roles: Readonly<Record<string, Role>> = {
  system: 'system',
  developer: 'developer',
  assistant: 'assistant',
  model: 'assistant',
  tool: 'tool',
  function: 'tool',
};

function roleOf(role: unknown): Role {
  return (typeof role === 'string' ? ownOf(roles, role) : undefined) ?? 'user';
}

function turnOf(role: Role, content: unknown): readonly Turn[] {
  return turn(role, partsOf(content));
}

function turn(role: Role, parts: readonly Part[]): readonly Turn[] {
  return parts.length === 0 ? [] : [{ role, parts }];
}

/** Items that follow one another are one turn: an answer of reasoning, text and calls, or the results of several tools. */
function joined(turns: readonly Turn[]): readonly Turn[] {
  const whole: Turn[] = [];
  for (const next of turns) {
    const last = whole.at(-1);
    if (last !== undefined && last.role === next.role && (next.role === 'assistant' || next.role === 'tool')) {
      whole[whole.length - 1] = { role: last.role, parts: [...last.parts, ...next.parts] };
    } else whole.push(next);
  }
  return whole;
}

/** Ollama's pictures are base64 without a type. */
function pictureOf(picture: unknown): readonly Part[] {
  if (isObject(picture)) return imagePart(isObject(picture['image_url']) ? picture['image_url']['url'] : picture['image_url']);
  return typeof picture === 'string' ? base64Image(picture.startsWith('/9j/') ? 'jpeg' : 'png', picture) : [];
}

/** A spoken answer of a chat; in a later request only its identifier. */
function audioParts(audio: unknown): readonly Part[] {
  if (!isObject(audio)) return [];
  const data = textOf(audio['data']);
  // OpenAI's recordings do not say their format; the bytes of WAV and MP3 do.
  const format = data.startsWith('UklGR') ? 'wav' : /^(?:SUQz|\/\/[s-v])/.test(data) ? 'mp3' : 'pcm';
  return [audioPart(format, data, textOf(audio['transcript']))];
}

function oldCall(call: unknown): readonly Part[] {
  return isObject(call) ? [{ kind: 'tool-call', id: '', name: textOf(call['name']), input: parsed(call['arguments']) }] : [];
}

const shownNumbers = 4;

function vectors(body: Json): readonly Part[] {
  const { embeddings } = body;
  const lists = [
    ...objectsOf(body['data']).map(({ embedding }) => embedding),
    ...(isObject(embeddings) ? Object.values(embeddings).flatMap(arrayOf) : arrayOf(embeddings)).map((one) =>
      isObject(one) ? one['values'] : one,
    ),
    ...(isObject(body['embedding']) ? [body['embedding']['values']] : [body['embedding']]),
  ];
  return lists.filter(Array.isArray).map((values) => ({
    kind: 'vector',
    dimensions: values.length,
    first: values.slice(0, shownNumbers).filter((value): value is number => typeof value === 'number'),
  }));
}

/** Pictures, recordings and transcripts of OpenAI's other calls. */
function media(body: Json): readonly Part[] {
  const format = body['output_format'];
  const pictures = objectsOf(body['data']).flatMap(({ b64_json: data, url }) =>
    typeof data === 'string' ? base64Image(format, data) : typeof url === 'string' ? imagePart(url) : [],
  );
  return [...pictures, ...(typeof body['audio'] === 'string' ? audioParts({ data: body['audio'] }) : []), ...textPart(body['text'])];
}
