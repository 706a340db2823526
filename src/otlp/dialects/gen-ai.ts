import { asText, type ChatMessage } from '../messages/chat-message.ts';
import { readChoices, readMessages, readSystemInstructions, readTexts, readTools } from '../messages/read-messages.ts';
import { type AttributeValue, type Span, spanKinds } from '../received/span.ts';
import type { Conversation, Dialect, AttributeNames, Operation } from './dialect.ts';
import { conversationOfEvents } from './gen-ai-events.ts';

/** The present names first, then those of earlier versions and of instrumentations that were ahead of the convention. */
const attributeNames: AttributeNames = {
  provider: ['gen_ai.provider.name', 'gen_ai.system'],
  serverAddress: ['server.address'],
  serverPort: ['server.port'],
  requestModel: ['gen_ai.request.model'],
  responseModel: ['gen_ai.response.model'],
  responseId: ['gen_ai.response.id'],
  finishReason: ['gen_ai.response.finish_reason'],
  serviceTier: ['openai.response.service_tier', 'gen_ai.openai.response.service_tier', 'gen_ai.response.service_tier'],
  requestedTier: ['openai.request.service_tier', 'gen_ai.openai.request.service_tier', 'gen_ai.request.service_tier'],
  userId: ['enduser.id', 'gen_ai.request.user', 'gen_ai.user'],
  sessionId: ['gen_ai.conversation.id', 'session.id'],
  promptId: ['gen_ai.prompt.name'],
  promptVersion: ['gen_ai.prompt.version'],
  toolName: ['gen_ai.tool.name'],
  toolCallId: ['gen_ai.tool.call.id'],
  errorType: ['error.type'],
  stepName: ['gen_ai.agent.name', 'gen_ai.workflow.name'],
  inputTokens: ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'],
  outputTokens: ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'],
  totalTokens: ['gen_ai.usage.total_tokens'],
  cacheReadTokens: [
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.cache_read_input_tokens',
    'gen_ai.usage.input_tokens.cached',
    'gen_ai.usage.input_tokens.cache_read',
    'gen_ai.usage.cache_read_tokens',
    'gen_ai.usage.cached_input_tokens',
    'gen_ai.usage.cached_tokens',
    'gen_ai.usage.details.cache_read_tokens',
    'gen_ai.usage.details.cache_read_input_tokens',
    'gen_ai.usage.details.cached_tokens',
  ],
  cacheWriteTokens: [
    'gen_ai.usage.cache_write.input_tokens',
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
    'gen_ai.usage.cache_write_input_tokens',
    'gen_ai.usage.input_tokens.cache_write',
    'gen_ai.usage.input_tokens.cache_creation',
    'gen_ai.usage.cache_write_tokens',
    'gen_ai.usage.cache_creation_tokens',
    'gen_ai.usage.details.cache_write_tokens',
    'gen_ai.usage.details.cache_creation_tokens',
    'gen_ai.usage.details.cache_write_input_tokens',
    'gen_ai.usage.details.cache_creation_input_tokens',
  ],
  reasoningTokens: [
    'gen_ai.usage.reasoning.output_tokens',
    'gen_ai.usage.reasoning_tokens',
    'gen_ai.usage.output_tokens.reasoning',
    'gen_ai.usage.details.reasoning_tokens',
  ],
  inputAudioTokens: ['gen_ai.usage.audio.input_tokens', 'gen_ai.usage.details.input_audio_tokens'],
  outputAudioTokens: ['gen_ai.usage.audio.output_tokens', 'gen_ai.usage.details.output_audio_tokens'],
  inputImageTokens: ['gen_ai.usage.image.input_tokens'],
  outputImageTokens: ['gen_ai.usage.image.output_tokens'],
  firstTokenSeconds: [
    'gen_ai.response.time_to_first_chunk',
    'gen_ai.response.time_to_first_token',
    'gen_ai.client.operation.time_to_first_chunk',
    'gen_ai.server.time_to_first_token',
  ],
  statusCode: ['http.response.status_code', 'http.status_code'],
  temperature: ['gen_ai.request.temperature'],
  top_p: ['gen_ai.request.top_p'],
  top_k: ['gen_ai.request.top_k', 'gen_ai.retrieval.top_k'],
  max_tokens: ['gen_ai.request.max_tokens'],
  frequency_penalty: ['gen_ai.request.frequency_penalty'],
  presence_penalty: ['gen_ai.request.presence_penalty'],
  seed: ['gen_ai.request.seed', 'gen_ai.openai.request.seed'],
  n: ['gen_ai.request.choice.count'],
  stop: ['gen_ai.request.stop_sequences'],
  stream: ['gen_ai.request.stream', 'gen_ai.request.is_stream', 'gen_ai.is_streaming'],
  reasoning_effort: ['gen_ai.request.reasoning.level', 'gen_ai.request.reasoning_effort'],
  dimensions: ['gen_ai.embeddings.dimension.count', 'gen_ai.request.embedding_dimension'],
  size: ['gen_ai.request.image.size', 'gen_ai.request.image_size'],
  quality: ['gen_ai.request.image.quality', 'gen_ai.request.image_quality'],
  voice: ['gen_ai.request.audio_voice'],
};

/** `gen_ai.operation.name`: the convention's values, and those that instrumentations made up. */
const operations: ReadonlyMap<string, Operation> = new Map([
  ['chat', 'chat'],
  ['generate_content', 'chat'],
  ['generate', 'chat'],
  ['message', 'chat'],
  ['messages', 'chat'],
  ['responses', 'chat'],
  ['text_completion', 'completion'],
  ['completion', 'completion'],
  ['embeddings', 'embeddings'],
  ['embedding', 'embeddings'],
  ['rerank', 'rerank'],
  ['image', 'image'],
  ['image_generation', 'image'],
  ['image_edit', 'image'],
  ['image_variation', 'image'],
  ['audio', 'speech'],
  ['speech', 'speech'],
  ['text_to_speech', 'speech'],
  ['transcription', 'transcription'],
  ['speech_to_text', 'transcription'],
  ['execute_tool', 'tool'],
  ['retrieval', 'retrieval'],
  ['search_memory', 'retrieval'],
  ['ai.generatespeech', 'speech'],
  ['ai.transcribe', 'transcription'],
  ['ai.streamtranscribe', 'transcription'],
  ['invoke_agent', 'level'],
  ['agent_step', 'level'],
  ['create_agent', 'level'],
  ['invoke_workflow', 'level'],
  ['plan', 'level'],
  ['create_memory', 'level'],
  ['create_memory_store', 'level'],
  ['delete_memory', 'level'],
  // A response that was made before: nothing is inferred, and nothing counted.
  ['fetch_response', 'level'],
  ['delete_memory_store', 'level'],
  ['update_memory', 'level'],
  ['upsert_memory', 'level'],
]);

export const genAi: Dialect = {
  name: 'OpenTelemetry GenAI',
  source: 'open-telemetry/semantic-conventions-genai docs/gen-ai; before: open-telemetry/semantic-conventions docs/gen-ai up to 1.41',
  attributeNames,
  operationOf,
  conversationOf,
  propertyPrefixes: [],
  propertyObjects: [],
  tagLists: [],
  namespaces: ['gen_ai.', 'openai.', 'aws.bedrock.', 'azure.', 'mcp.', 'enduser.'],
};

function operationOf({ attributes, kind }: Span): Operation | undefined {
  const name = attributes.get('gen_ai.operation.name');
  if (typeof name === 'string' && name !== '') {
    // A name that nobody knows: a client calls a model, anything else may hold the calls of one.
    return operations.get(name.toLowerCase()) ?? (kind === spanKinds.client && hasModel(attributes) ? 'chat' : 'level');
  }
  if (hasModel(attributes)) return 'chat';
  return attributes.has('gen_ai.tool.name') || attributes.has('gen_ai.tool.call.id') ? 'tool' : undefined;
}

function hasModel(attributes: Span['attributes']): boolean {
  return attributes.has('gen_ai.request.model') || attributes.has('gen_ai.response.model');
}

/** The names of the attributes that hold what was said; also those of the event that may hold them in place of the span. */
const conversationKeys = {
  input: ['gen_ai.input.messages', 'gen_ai.request.messages', 'gen_ai.prompt'],
  output: ['gen_ai.output.messages', 'gen_ai.completion', 'gen_ai.response.text'],
  system: ['gen_ai.system_instructions'],
  tools: ['gen_ai.tool.definitions', 'gen_ai.request.available_tools'],
  embedded: ['gen_ai.embeddings.input'],
  toolInput: ['gen_ai.tool.call.arguments', 'gen_ai.tool.input'],
  toolOutput: ['gen_ai.tool.call.result', 'gen_ai.tool.output'],
  query: ['gen_ai.retrieval.query.text', 'gen_ai.memory.query.text'],
  found: ['gen_ai.retrieval.documents', 'gen_ai.memory.records'],
} as const;

const detailsEvents: ReadonlySet<string> = new Set(['gen_ai.client.inference.operation.details', 'gen_ai.client.inference.details']);

/** Whether an event of this name holds what was said, in the attributes that a span would have. */
export function isDetailsEvent(name: string): boolean {
  return detailsEvents.has(name);
}

function conversationOf(span: Span): Conversation {
  const sources = [span.attributes, ...span.events.filter(({ name }) => detailsEvents.has(name)).map(({ attributes }) => attributes)];
  const at = (names: readonly string[]): AttributeValue | undefined => {
    for (const source of sources) {
      const name = names.find((each) => source.has(each));
      if (name !== undefined) return source.get(name);
    }
    return undefined;
  };
  const events = conversationOfEvents(span.events);
  const input = at(conversationKeys.input);
  const output = at(conversationKeys.output);
  const system = readSystemInstructions(at(conversationKeys.system));
  const messages = input === undefined ? events.messages : readMessages(input);
  const tools = at(conversationKeys.tools);
  const embedded = at(conversationKeys.embedded);
  return {
    messages: withInstructions(system, messages),
    choices: output === undefined ? events.choices : readChoices(output, readTexts(span.attributes.get('gen_ai.response.finish_reasons'))),
    tools: tools === undefined ? undefined : readTools(tools),
    input: embedded ?? at(conversationKeys.toolInput) ?? at(conversationKeys.query),
    output: at(conversationKeys.toolOutput) ?? at(conversationKeys.found),
  };
}

/** Some write the instructions a second time, as the first message. */
function withInstructions(
  system: readonly ChatMessage[],
  messages: readonly ChatMessage[] | undefined,
): readonly ChatMessage[] | undefined {
  const said = new Set(
    (messages ?? []).filter(({ role }) => role === 'system' || role === 'developer').map(({ content }) => asText(content)),
  );
  const first = system.filter(({ content }) => !said.has(asText(content)));
  return first.length === 0 ? messages : [...first, ...(messages ?? [])];
}
