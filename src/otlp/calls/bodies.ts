import type { JsonObject } from '../../model/text.ts';
import type { Operation } from '../dialects/dialect.ts';
import type { SpanCall } from '../attributes/span-call.ts';
import { anthropicMessage, isAnthropicUsage } from './anthropic-body.ts';
import type { Bodies } from './body-pair.ts';
import { chatRequest, chatResponse } from './chat-body.ts';
import { openAiUsage } from './usage-body.ts';
import { asText, unpacked } from '../messages/chat-message.ts';
import { readTexts } from '../messages/read-messages.ts';
import { finishReason } from './finish-reasons.ts';

type Write = (call: SpanCall) => Bodies;

/** Each operation in OpenAI's shape, which all providers are read in; tools as Helicone's loggers write them. */
const writers: Readonly<Record<Exclude<Operation, 'level'>, Write>> = {
  chat: (call) => (isAnthropicUsage(call) ? anthropicMessage(call) : chat(call)),
  completion,
  embeddings,
  rerank,
  image,
  speech: (call) => media(call, '/v1/audio/speech'),
  transcription: (call) => media(call, '/v1/audio/transcriptions'),
  tool,
  retrieval,
};

export function bodiesOf(call: SpanCall): Bodies {
  const { operation } = call;
  return operation === 'level' ? tool(call) : writers[operation](call);
}

function chat(call: SpanCall): Bodies {
  return { path: '/v1/chat/completions', request: chatRequest(call), response: chatResponse(call) };
}

function modelOf({ texts }: SpanCall): string {
  return texts.requestModel || texts.responseModel;
}

/** Members that every response of OpenAI has. */
function answered(call: SpanCall, object: string): JsonObject {
  const { texts } = call;
  const usage = openAiUsage(call.usage);
  return {
    ...(texts.responseId === '' ? {} : { id: texts.responseId }),
    object,
    model: texts.responseModel || texts.requestModel,
    ...(usage === undefined ? {} : { usage }),
  };
}

function completion(call: SpanCall): Bodies {
  const { conversation, parameters, finishReasons } = call;
  const prompts = inputTexts(call);
  const answers = conversation.choices?.map(({ message }) => asText(message.content)) ?? readTexts(conversation.output);
  return {
    path: '/v1/completions',
    request: { model: modelOf(call), prompt: prompts.length === 1 ? prompts[0] : prompts, ...parameters },
    response: {
      ...answered(call, 'text_completion'),
      choices: answers.map((text, index) => ({ index, text, finish_reason: finishReason(finishReasons[index] ?? finishReasons[0]) })),
    },
  };
}

/** Texts of what went in, as messages or as they are. */
function inputTexts({ conversation }: SpanCall): readonly string[] {
  return conversation.messages?.map(({ content }) => asText(content)) ?? readTexts(conversation.input);
}

/** Vectors are not recorded. */
function embeddings(call: SpanCall): Bodies {
  const input = inputTexts(call);
  return {
    path: '/v1/embeddings',
    request: { model: modelOf(call), input: input.length === 1 ? input[0] : input, ...call.parameters },
    response: { ...answered(call, 'list'), data: [] },
  };
}

function rerank(call: SpanCall): Bodies {
  const { conversation } = call;
  return {
    path: '/v1/rerank',
    request: { model: modelOf(call), query: unpacked(conversation.input ?? null), ...call.parameters },
    response: { ...answered(call, 'list'), results: unpacked(conversation.output ?? null) },
  };
}

function image(call: SpanCall): Bodies {
  const { usage } = call;
  const prompt = inputTexts(call).join('\n');
  const counts = { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };
  return {
    path: '/v1/images/generations',
    request: { model: modelOf(call), prompt, ...call.parameters },
    response: { ...answered({ ...call, usage: {} }, 'list'), data: [], ...(usage.inputTokens === undefined ? {} : { usage: counts }) },
  };
}

function media(call: SpanCall, path: string): Bodies {
  const input = inputTexts(call).join('\n');
  return {
    path,
    request: { model: modelOf(call), ...(input === '' ? {} : { input }), ...call.parameters },
    response: {
      ...answered(call, 'audio'),
      ...(call.conversation.output === undefined ? {} : { text: asText(call.conversation.output) }),
    },
  };
}

/** Source: `HeliconeManualLogger` of Helicone/helicone, `_type: "tool"`. */
function tool(call: SpanCall): Bodies {
  const { texts, conversation } = call;
  const toolName = texts.toolName || texts.stepName;
  return {
    path: '/v1/tool',
    request: {
      _type: 'tool',
      toolName,
      input: unpacked(conversation.input ?? null),
      ...(texts.toolCallId === '' ? {} : { toolCallId: texts.toolCallId }),
    },
    response: { _type: 'tool', toolName, output: unpacked(conversation.output ?? null) },
  };
}

/** Source: `HeliconeManualLogger` of Helicone/helicone, `_type: "vector_db"`. */
function retrieval(call: SpanCall): Bodies {
  const { conversation, parameters } = call;
  return {
    path: '/v1/retrieval',
    request: { _type: 'vector_db', operation: 'search', text: asText(conversation.input), ...parameters },
    response: { _type: 'vector_db', results: unpacked(conversation.output ?? null) },
  };
}
