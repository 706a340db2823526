import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { unpacked } from '../messages/chat-message.ts';
import { readChoices, readMessages } from '../messages/read-messages.ts';
import type { SpanEvent } from '../received/span.ts';
import type { Conversation } from './dialect.ts';

/** Events with a message each, of versions 1.28 to 1.36 of the convention: their names and the role of the message. */
const roles: ReadonlyMap<string, string> = new Map([
  ['gen_ai.system.message', 'system'],
  ['gen_ai.user.message', 'user'],
  ['gen_ai.assistant.message', 'assistant'],
  ['gen_ai.tool.message', 'tool'],
]);

/** Reads messages from the events of a span; before 1.28 there was one for the prompt and one for the completion. */
export function conversationOfEvents(events: readonly SpanEvent[]): Pick<Conversation, 'messages' | 'choices'> {
  const messages = events.flatMap((event) => {
    const role = roles.get(event.name);
    if (role !== undefined) return readMessages([{ role, ...bodyOf(event) }]);
    return event.name === 'gen_ai.content.prompt' ? readMessages(event.attributes.get('gen_ai.prompt')) : [];
  });
  const choices = events.flatMap((event) => {
    if (event.name === 'gen_ai.choice') return readChoices([choiceOf(bodyOf(event))], []);
    return event.name === 'gen_ai.content.completion' ? readChoices(event.attributes.get('gen_ai.completion'), []) : [];
  });
  return { messages: messages.length === 0 ? undefined : messages, choices: choices.length === 0 ? undefined : choices };
}

/** The body lies in attributes of its own, or as JSON in one. */
function bodyOf({ attributes }: SpanEvent): JsonObject {
  const packed = unpacked(attributes.get('gen_ai.event.content') ?? attributes.get('event.body'));
  const members = Object.fromEntries([...attributes].map(([name, value]) => [name, unpackedMember(name, value)]));
  return isJsonObject(packed) ? { ...members, ...packed } : members;
}

function unpackedMember(name: string, value: unknown): unknown {
  return name === 'content' ? value : unpacked(value);
}

function choiceOf(body: JsonObject): JsonObject {
  const message = unpacked(body['message']);
  const finishReason = body['finish_reason'];
  if (isJsonObject(message)) return { finish_reason: finishReason, ...message };
  return { role: 'assistant', ...body, ...(typeof message === 'string' ? { content: message } : {}) };
}
