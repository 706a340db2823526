/**
 * Makes each call of one instrumentation in a span of the application and exports what is told, for `npm run soak -- instrumentations`:
 * `node sender.mjs NAME CALL...`. The environment says where to: `PROVIDER_URL` (the gateway or the provider), `GATEWAY_KEY` where calls pass
 * the gateway, `PROCESSOR` (`batch` or `simple`), `PROPAGATES` where the transport sends `traceparent`, and OpenTelemetry's variables.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { load } from './calls.mjs';
import { setUps } from './set-ups.mjs';

const [name = '', ...asked] = process.argv.slice(2);
const setUp = setUps[name];
if (setUp === undefined) throw new Error(`no set-up of ${name}`);
const { calls, flush } = await setUp();
const { trace } = await load('@opentelemetry/api');
const tracer = trace.getTracer('application');
for (const [index, call] of asked.entries()) {
  const make = calls[call];
  if (make === undefined) throw new Error(`${name} has no call ${call}`);
  await tracer.startActiveSpan('answer', async (/** @type {any} */ span) => {
    try {
      await make(`When does the harbour open? This is question ${index + 1}.`);
    } catch (error) {
      console.log(`${call}: ${String(error)}`);
    } finally {
      // Some end their span after the caller has its answer.
      await wait(20);
      span.end();
    }
  });
}
await flush();
