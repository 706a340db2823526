import type { ChatChoice, ChatMessage } from '../messages/chat-message.ts';
import type { JsonObject } from '../../model/text.ts';
import type { Usage } from './usage.ts';
import type { Span } from '../received/span.ts';

/** What a span tells of. `level`: a step that holds others, such as an agent or a chain. */
export type Operation =
  | 'chat'
  | 'completion'
  | 'embeddings'
  | 'rerank'
  | 'image'
  | 'speech'
  | 'transcription'
  | 'tool'
  | 'retrieval'
  | 'level';

/** Facts that are texts. */
export type TextField =
  | 'provider'
  | 'serverAddress'
  | 'requestModel'
  | 'responseModel'
  | 'responseId'
  | 'finishReason'
  | 'serviceTier'
  /** Counts where the response tells none. */
  | 'requestedTier'
  | 'userId'
  | 'sessionId'
  | 'sessionName'
  | 'sessionPath'
  | 'promptId'
  | 'promptVersion'
  | 'experimentId'
  | 'toolName'
  | 'toolCallId'
  | 'errorType'
  | 'errorMessage'
  /** `ERROR`: the call failed, whatever the span's status. */
  | 'severity'
  /** Name of the agent, workflow or step. */
  | 'stepName';

/** Facts that are numbers. */
export type NumberField =
  | 'serverPort'
  | 'inputTokens'
  | 'outputTokens'
  | 'totalTokens'
  | 'cacheReadTokens'
  | 'cacheWriteTokens'
  | 'reasoningTokens'
  | 'inputAudioTokens'
  | 'outputAudioTokens'
  | 'inputImageTokens'
  | 'outputImageTokens'
  /** The first part of a response came after it. */
  | 'firstTokenMs'
  | 'firstTokenSeconds'
  | 'statusCode'
  | 'costUsd';

/** Parameters of a request, by their names in OpenAI's chat. */
export type ParameterField =
  | 'temperature'
  | 'top_p'
  | 'top_k'
  | 'max_tokens'
  | 'frequency_penalty'
  | 'presence_penalty'
  | 'seed'
  | 'n'
  | 'stop'
  | 'stream'
  | 'tool_choice'
  | 'reasoning_effort'
  | 'dimensions'
  | 'size'
  | 'quality'
  | 'voice'
  | 'user';

export type CallField = TextField | NumberField | ParameterField;

/** Names of attributes for each field, the first that a span has counts. */
export type AttributeNames = Readonly<Partial<Record<CallField, readonly string[]>>>;

/** What was said. Absent: the span does not tell. */
export interface Conversation {
  readonly messages?: readonly ChatMessage[] | undefined;
  readonly choices?: readonly ChatChoice[] | undefined;
  readonly tools?: readonly JsonObject[] | undefined;
  /** Input of an operation that is no chat. */
  readonly input?: unknown;
  readonly output?: unknown;
}

/**
 * A way to describe calls of models in attributes. Spans mix dialects; each field is taken from the first dialect that tells it.
 */
export interface Dialect {
  readonly name: string;
  /** Where its attributes are written down. */
  readonly source: string;
  readonly attributeNames: AttributeNames;
  /** Undefined: this dialect does not tell. */
  readonly operationOf: (span: Span) => Operation | undefined;
  readonly conversationOf: (span: Span) => Conversation;
  /** Where counts are told in another way than by attributes of their own. */
  readonly usageOf?: (span: Span) => Usage | undefined;
  /** Attributes that are properties: each name behind one of these prefixes, … */
  readonly propertyPrefixes: readonly string[];
  /** Those of the prefixes whose attributes on a span hold for the calls below it. */
  readonly contextPrefixes?: readonly string[];
  /** … and each member of the object in one of these. */
  readonly propertyObjects: readonly string[];
  /** Lists of tags. */
  readonly tagLists: readonly string[];
  /** Attributes behind such a prefix that belong to the request's body and are no properties. */
  readonly partsOfRequest?: readonly string[];
  /** Beginnings of names that belong to the dialect: such an attribute is no property unless it is named above. */
  readonly namespaces: readonly string[];
}
