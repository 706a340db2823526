import type { JsonObject } from '../../model/text.ts';
import type { Operation } from '../dialects/dialect.ts';
import type { CallFacts } from '../facts/call-facts.ts';
import { anthropicMessage, isAnthropicUsage } from './anthropic-body.ts';
import type { Bodies } from './body-pair.ts';
import { chatRequest, chatResponse } from './chat-body.ts';
import { openAiUsage } from './usage-body.ts';
import { asText, unpacked } from '../messages/chat-message.ts';
import { readTexts } from '../messages/read-messages.ts';
import { finishReason } from './finish-reasons.ts';

type Write = (facts: CallFacts) => Bodies;

/** Each operation in OpenAI's shape, which all providers are read in; tools as Helicone's loggers write them. */
const writers: Readonly<Record<Exclude<Operation, 'level'>, Write>> = {
  chat: (facts) => (isAnthropicUsage(facts) ? anthropicMessage(facts) : chat(facts)),
  completion,
  embeddings,
  rerank,
  image,
  speech: (facts) => media(facts, '/v1/audio/speech'),
  transcription: (facts) => media(facts, '/v1/audio/transcriptions'),
  tool,
  retrieval,
};

export function bodiesOf(facts: CallFacts): Bodies {
  const { operation } = facts;
  return operation === 'level' ? tool(facts) : writers[operation](facts);
}

function chat(facts: CallFacts): Bodies {
  return { path: '/v1/chat/completions', request: chatRequest(facts), response: chatResponse(facts) };
}

function modelOf({ texts }: CallFacts): string {
  return texts.requestModel || texts.responseModel;
}

/** Members that every response of OpenAI has. */
function answered(facts: CallFacts, object: string): JsonObject {
  const { texts } = facts;
  const usage = openAiUsage(facts.usage);
  return {
    ...(texts.responseId === '' ? {} : { id: texts.responseId }),
    object,
    model: texts.responseModel || texts.requestModel,
    ...(usage === undefined ? {} : { usage }),
  };
}

function completion(facts: CallFacts): Bodies {
  const { conversation, parameters, finishReasons } = facts;
  const prompts = inputTexts(facts);
  const answers = conversation.choices?.map(({ message }) => asText(message.content)) ?? readTexts(conversation.output);
  return {
    path: '/v1/completions',
    request: { model: modelOf(facts), prompt: prompts.length === 1 ? prompts[0] : prompts, ...parameters },
    response: {
      ...answered(facts, 'text_completion'),
      choices: answers.map((text, index) => ({ index, text, finish_reason: finishReason(finishReasons[index] ?? finishReasons[0]) })),
    },
  };
}

/** Texts of what went in, as messages or as they are. */
function inputTexts({ conversation }: CallFacts): readonly string[] {
  return conversation.messages?.map(({ content }) => asText(content)) ?? readTexts(conversation.input);
}

/** Vectors are not recorded. */
function embeddings(facts: CallFacts): Bodies {
  const input = inputTexts(facts);
  return {
    path: '/v1/embeddings',
    request: { model: modelOf(facts), input: input.length === 1 ? input[0] : input, ...facts.parameters },
    response: { ...answered(facts, 'list'), data: [] },
  };
}

function rerank(facts: CallFacts): Bodies {
  const { conversation } = facts;
  return {
    path: '/v1/rerank',
    request: { model: modelOf(facts), query: unpacked(conversation.input ?? null), ...facts.parameters },
    response: { ...answered(facts, 'list'), results: unpacked(conversation.output ?? null) },
  };
}

function image(facts: CallFacts): Bodies {
  const { usage } = facts;
  const prompt = inputTexts(facts).join('\n');
  const counts = { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };
  return {
    path: '/v1/images/generations',
    request: { model: modelOf(facts), prompt, ...facts.parameters },
    response: { ...answered({ ...facts, usage: {} }, 'list'), data: [], ...(usage.inputTokens === undefined ? {} : { usage: counts }) },
  };
}

function media(facts: CallFacts, path: string): Bodies {
  const input = inputTexts(facts).join('\n');
  return {
    path,
    request: { model: modelOf(facts), ...(input === '' ? {} : { input }), ...facts.parameters },
    response: {
      ...answered(facts, 'audio'),
      ...(facts.conversation.output === undefined ? {} : { text: asText(facts.conversation.output) }),
    },
  };
}

/** Source: `HeliconeManualLogger` of Helicone/helicone, `_type: "tool"`. */
function tool(facts: CallFacts): Bodies {
  const { texts, conversation } = facts;
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
function retrieval(facts: CallFacts): Bodies {
  const { conversation, parameters } = facts;
  return {
    path: '/v1/retrieval',
    request: { _type: 'vector_db', operation: 'search', text: asText(conversation.input), ...parameters },
    response: { _type: 'vector_db', results: unpacked(conversation.output ?? null) },
  };
}
