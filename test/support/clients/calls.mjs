/**
 * Calls of official clients, for `npm run soak -- clients`, which runs this beside the packages and in a version of Node that they take.
 * Prints a line of JSON for each: its name, the identifier of its record, and what the client understood or its error.
 */
import { randomUUID } from 'node:crypto';

const { GATEWAY = '', KEY = '' } = process.env;
const prompt = 'When does the harbour open?';
const messages = [{ role: 'user', content: prompt }];

/**
 * The packages lie beside a copy of this file, not in the project.
 * @param {string} name
 * @returns {Promise<any>}
 */
const load = (name) => import(name);

const { default: OpenAI } = await load('openai');
const { default: Anthropic } = await load('@anthropic-ai/sdk');
const { GoogleGenAI } = await load('@google/genai');
const { InferenceClient } = await load('@huggingface/inference');
const { generateText, streamText, embed } = await load('ai');
const { createOpenAI } = await load('@ai-sdk/openai');
const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible');
const { ChatOpenAI } = await load('@langchain/openai');
const { ResponsesWS } = await load('openai/resources/responses/ws');

/** @typedef {Record<string, string>} Headers */

/** @param {Headers} headers */
const openAi = (headers) => new OpenAI({ baseURL: `${GATEWAY}/v1`, apiKey: KEY, defaultHeaders: headers, maxRetries: 0 });
/** @param {Headers} headers */
const anthropic = (headers) => new Anthropic({ baseURL: GATEWAY, apiKey: KEY, defaultHeaders: headers, maxRetries: 0 });
/** @param {Headers} headers */
const google = (headers) => new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: GATEWAY, headers } });
/** @param {Headers} headers */
const aiSdk = (headers) => createOpenAI({ baseURL: `${GATEWAY}/v1`, apiKey: KEY, headers });
/** @param {Headers} headers */
const compatible = (headers) =>
  createOpenAICompatible({ name: 'gatelog', baseURL: `${GATEWAY}/v1`, apiKey: KEY, headers, includeUsage: true });
/** @param {Headers} headers */
const langchain = (headers) =>
  new ChatOpenAI({ model: 'gpt-4o', apiKey: KEY, maxRetries: 0, configuration: { baseURL: `${GATEWAY}/v1`, defaultHeaders: headers } });

const message = { model: 'claude-sonnet-4-6', max_tokens: 100, messages };
const content = { model: 'gemini-2.5-flash', contents: prompt };
const hub = { model: 'meta-llama/Llama-3.3-70B-Instruct', messages };

/** @type {readonly (readonly [name: string, call: (headers: Headers) => Promise<unknown>])[]} */
const calls = [
  [
    'openai chat',
    async (headers) => (await openAi(headers).chat.completions.create({ model: 'gpt-4o', messages })).choices[0].message.content,
  ],
  [
    'openai chat, streamed',
    (headers) =>
      openAi(headers)
        .chat.completions.stream({ model: 'gpt-4o', messages, stream_options: { include_usage: true } })
        .finalContent(),
  ],
  ['openai responses', async (headers) => (await openAi(headers).responses.create({ model: 'gpt-5-mini', input: prompt })).output_text],
  [
    'openai responses, streamed',
    async (headers) => (await openAi(headers).responses.stream({ model: 'gpt-5-mini', input: prompt }).finalResponse()).output_text,
  ],
  [
    'openai embeddings',
    async (headers) =>
      (await openAi(headers).embeddings.create({ model: 'text-embedding-3-small', input: prompt, encoding_format: 'float' })).data.length,
  ],
  ['openai files', async (headers) => (await openAi(headers).files.list()).data],
  ['@anthropic-ai/sdk messages', async (headers) => (await anthropic(headers).messages.create(message)).content[0].text],
  ['@anthropic-ai/sdk messages, streamed', (headers) => anthropic(headers).messages.stream(message).finalText()],
  ['@google/genai generateContent', async (headers) => (await google(headers).models.generateContent(content)).text],
  [
    '@google/genai generateContent, streamed',
    async (headers) => {
      let text = '';
      for await (const chunk of await google(headers).models.generateContentStream(content)) text += chunk.text ?? '';
      return text;
    },
  ],
  [
    '@google/genai interactions',
    async (headers) => (await google(headers).interactions.create({ model: 'gemini-2.5-flash', input: prompt })).status,
  ],
  ['@google/genai files', async (headers) => (await google(headers).files.list()).pageLength],
  ['@google/genai batches', async (headers) => (await google(headers).batches.list()).pageLength],
  ['@google/genai models', async (headers) => (await google(headers).models.list()).pageLength],
  ['ai generateText', async (headers) => (await generateText({ model: aiSdk(headers)('gpt-5-mini'), prompt, maxRetries: 0 })).text],
  ['ai streamText', async (headers) => streamText({ model: compatible(headers)('gpt-4o'), prompt, maxRetries: 0 }).text],
  [
    'ai embed',
    async (headers) =>
      (await embed({ model: compatible(headers).embeddingModel('text-embedding-3-small'), value: prompt, maxRetries: 0 })).embedding.length,
  ],
  ['@langchain/openai invoke', async (headers) => (await langchain(headers).invoke(prompt)).content],
  [
    '@huggingface/inference chatCompletion',
    async (headers) =>
      (await new InferenceClient(KEY, { endpointUrl: `${GATEWAY}/huggingface` }).chatCompletion(hub, { fetch: withHeaders(headers) }))
        .choices[0].message.content,
  ],
  ['openai responses over a WebSocket', refusalOfWebSocket],
];

/**
 * For a client that takes no headers.
 * @param {Headers} headers
 * @returns {typeof fetch}
 */
function withHeaders(headers) {
  return (input, init) => fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } });
}

/** @param {Headers} headers */
function refusalOfWebSocket(headers) {
  return new Promise((resolve) => {
    const socket = new ResponsesWS(openAi(headers));
    socket.on('error', (/** @type {Error} */ error) => resolve(error.message));
  });
}

for (const [name, call] of calls) {
  const id = randomUUID();
  const outcome = await call({ 'Svc-Request-Id': id }).then(
    (said) => ({ said }),
    (/** @type {unknown} */ error) => ({ error: String(error) }),
  );
  console.log(JSON.stringify({ name, id, ...outcome }));
}
process.exit(0);
