import type { JsonObject } from '../../model/text.ts';
import type { SpanCall } from '../attributes/span-call.ts';
import { asText, type ChatMessage, unpacked } from '../messages/chat-message.ts';
import type { Bodies } from './body-pair.ts';
import { choicesOf, messagesOf } from './chat-body.ts';
import { stopReason } from './finish-reasons.ts';

/** True when the span has Anthropic's own usage object: it tells how long cache writes live, which no other shape does. */
export function isAnthropicUsage({ usage }: SpanCall): boolean {
  return usage.anthropic !== undefined;
}

/** The call in the shape of Anthropic's Messages API. */
export function anthropicMessage(call: SpanCall): Bodies {
  const { texts, parameters, finishReasons, usage } = call;
  const messages = messagesOf(call);
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => asText(content));
  const choices = choicesOf(call);
  return {
    path: '/v1/messages',
    request: {
      model: texts.requestModel || texts.responseModel,
      ...(system.length === 0 ? {} : { system: system.join('\n') }),
      messages: messages.filter(({ role }) => role !== 'system').map(messageOf),
      ...toolsOf(call),
      ...parameters,
    },
    response: {
      ...(texts.responseId === '' ? {} : { id: texts.responseId }),
      type: 'message',
      role: 'assistant',
      model: texts.responseModel || texts.requestModel,
      content: choices.flatMap(({ message }) => blocksOf(message)),
      stop_reason: stopReason(finishReasons[0] ?? choices[0]?.finishReason),
      usage: { ...(texts.serviceTier === '' ? {} : { service_tier: texts.serviceTier }), ...usage.anthropic },
    },
  };
}

function toolsOf({ conversation }: SpanCall): JsonObject {
  const tools = (conversation.tools ?? []).map((tool) => {
    const named = tool['function'] as JsonObject | undefined;
    return named === undefined
      ? tool
      : { name: named['name'], description: named['description'], input_schema: named['parameters'] ?? { type: 'object' } };
  });
  return tools.length === 0 ? {} : { tools };
}

function messageOf(message: ChatMessage): JsonObject {
  if (message.role !== 'tool') return { role: message.role, content: blocksOf(message) };
  return { role: 'user', content: [{ type: 'tool_result', tool_use_id: message.tool_call_id, content: asText(message.content) }] };
}

function blocksOf({ content, reasoning_content: thinking, tool_calls: calls }: ChatMessage): readonly JsonObject[] {
  const texts = typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : (content ?? []);
  return [
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking }]),
    ...texts,
    ...(calls ?? []).map((call) => ({ type: 'tool_use', id: call.id, name: call.function.name, input: unpacked(call.function.arguments) })),
  ];
}
