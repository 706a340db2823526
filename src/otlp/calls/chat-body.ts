import type { JsonObject } from '../../model/text.ts';
import type { SpanCall } from '../attributes/span-call.ts';
import type { ChatChoice, ChatMessage } from '../messages/chat-message.ts';
import { readChoices, readMessages } from '../messages/read-messages.ts';
import { finishReason as namedReason } from './finish-reasons.ts';
import { openAiUsage } from './usage-body.ts';

export function chatRequest(call: SpanCall): JsonObject {
  const { texts, conversation, parameters } = call;
  const { tools } = conversation;
  return {
    model: texts.requestModel || texts.responseModel,
    messages: messagesOf(call),
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    ...parameters,
  };
}

/** The messages, or what the span has in place of them. */
export function messagesOf({ conversation }: SpanCall): readonly ChatMessage[] {
  return conversation.messages ?? readMessages(conversation.input);
}

export function choicesOf({ conversation, finishReasons }: SpanCall): readonly ChatChoice[] {
  return conversation.choices ?? readChoices(conversation.output, finishReasons);
}

export function chatResponse(call: SpanCall): JsonObject {
  const { texts, finishReasons } = call;
  const usage = openAiUsage(call.usage);
  const choices = choicesOf(call).map(({ message, finishReason }, index) => ({
    index,
    message,
    finish_reason: namedReason(finishReason === '' ? (finishReasons[index] ?? finishReasons[0]) : finishReason),
  }));
  return {
    ...(texts.responseId === '' ? {} : { id: texts.responseId }),
    object: 'chat.completion',
    model: texts.responseModel || texts.requestModel,
    choices: choices.length === 0 ? choicesWithoutText(finishReasons) : choices,
    ...(usage === undefined ? {} : { usage }),
    ...(texts.serviceTier === '' ? {} : { service_tier: texts.serviceTier }),
  };
}

/** Without recorded content there is still a reason why each choice ended. */
function choicesWithoutText(finishReasons: readonly string[]): readonly JsonObject[] {
  return finishReasons.map((reason, index) => ({
    index,
    message: { role: 'assistant', content: null },
    finish_reason: namedReason(reason),
  }));
}
