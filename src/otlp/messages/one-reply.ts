import type { JsonObject } from '../../model/text.ts';
import type { ChatChoice, ChatMessage } from './chat-message.ts';

/**
 * A reply of OpenAI's Responses is a list of items (reasoning, messages, calls of tools), of which instrumentations make a message each.
 * They are the parts of one message, and no choices among which the caller picks. A choice says something: where one of several has no
 * text, all are parts. @param several choices were asked for, or as many ended.
 */
export function asOneReply(choices: readonly ChatChoice[], several: boolean): readonly ChatChoice[] {
  const [first] = choices;
  const isAnswer = choices.every(({ message }) => message.role === 'assistant');
  if (first === undefined || choices.length === 1 || several || !isAnswer || choices.every(hasText)) return choices;
  const finishReason = choices.findLast((choice) => choice.finishReason !== '')?.finishReason ?? '';
  return [{ message: joined(choices.map(({ message }) => message)), finishReason }];
}

function hasText({ message: { content } }: ChatChoice): boolean {
  return content !== null && content.length > 0;
}

function joined(messages: readonly ChatMessage[]): ChatMessage {
  const contents = messages.map(({ content }) => content).filter((content) => content !== null && content.length > 0);
  const reasoning = messages.map(({ reasoning_content: text }) => text ?? '').filter((text) => text !== '');
  const toolCalls = messages.flatMap(({ tool_calls: calls }) => calls ?? []);
  const texts = contents.filter((content) => typeof content === 'string');
  return {
    role: 'assistant',
    content: contents.length === 0 ? null : texts.length === contents.length ? texts.join('\n') : contents.flatMap(partsOf),
    ...(reasoning.length === 0 ? {} : { reasoning_content: reasoning.join('\n') }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}

function partsOf(content: ChatMessage['content']): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}
