/**
 * Makes one call under Helicone's asynchronous logger, as an application would: `node async-logger.mjs SCENARIO`. The environment says where
 * to: `PACKAGES`, a folder with its package installed; `LOG_ENDPOINT`, `LOG_KEY`, `LOG_RUN`; `PROVIDER_URL`, a provider with OpenAI's API.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chatBody, whole } from './sender-calls.mjs';

const load = createRequire(join(process.env['PACKAGES'] ?? '', 'package.json'));
const { HeliconeAsyncLogger } = /** @type {{ HeliconeAsyncLogger: new (options: object) => { init: () => void } }} */ (
  load('@helicone/helicone')
);
// An older version than ours, as this instrumentation knows no later one.
const { OpenAI } = /** @type {{ OpenAI: typeof import('openai').OpenAI }} */ (load('openai'));

const headers = { 'Helicone-Property-Run': process.env['LOG_RUN'] ?? '', 'Helicone-User-Id': 'ada' };
const baseUrl = process.env['LOG_ENDPOINT'] ?? '';
new HeliconeAsyncLogger({ apiKey: process.env['LOG_KEY'] ?? '', baseUrl, providers: { openAI: OpenAI }, headers }).init();

const client = new OpenAI({ baseURL: process.env['PROVIDER_URL'], apiKey: 'sk-of-the-provider', maxRetries: 0 });
const scenario = /** @type {import('./sender-calls.mjs').Scenario} */ (process.argv[2]);
await whole(() => client.chat.completions.create(chatBody(scenario)));
// It sends in the background and tells nobody when it has sent.
await wait(2000);
process.exit(0);
