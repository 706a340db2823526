/**
 * Makes one call under Traceloop's SDK, as an application would: `node traceloop-sdk.mjs SCENARIO`. The environment says where to:
 * `PACKAGES`, a folder with its package installed; `TRACELOOP_BASE_URL` and `TRACELOOP_HEADERS`; `PROVIDER_URL`, a provider with OpenAI's API.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chatBody, whole } from './sender-calls.mjs';

const load = createRequire(join(process.env['PACKAGES'] ?? '', 'package.json'));
const traceloop = /** @type {{ initialize: (options: object) => void, forceFlush: () => Promise<void> }} */ (
  load('@traceloop/node-server-sdk')
);
const { OpenAI } = /** @type {{ OpenAI: typeof import('openai').OpenAI }} */ (load('openai'));

traceloop.initialize({
  appName: process.env['OTEL_SERVICE_NAME'],
  instrumentModules: { openAI: OpenAI },
  silenceInitializationMessage: true,
});
const client = new OpenAI({ baseURL: process.env['PROVIDER_URL'], apiKey: 'sk-of-the-provider', maxRetries: 0 });
await whole(() => client.chat.completions.create(chatBody(/** @type {import('./sender-calls.mjs').Scenario} */ (process.argv[2]))));
await traceloop.forceFlush();
process.exit(0);
