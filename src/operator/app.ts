import type { Server } from 'node:http';
import type { Hono } from 'hono';
import { bareApi } from '../api/app.ts';
import { makeBodyLimit } from '../api/http/body-limit.ts';
import { serverOf } from '../api/listen.ts';
import { sendProblem } from '../api/http/problem.ts';
import { GatelogError } from '../model/errors.ts';
import type { OperatorEndpoint, OperatorWork } from './routes/endpoint.ts';
import { applyPricesOf } from './routes/apply-prices.ts';
import { listDeadLetters } from './routes/list-dead-letters.ts';
import { receiveSpans } from './routes/receive-spans.ts';
import { importOperatorPrices, listOperatorPrices } from './routes/prices.ts';
import { replayDeadLetters } from './routes/replay-dead-letters.ts';
import { showDeadLetter } from './routes/show-dead-letter.ts';
import { checkStorePart, listStoreParts, setAsideStorePart } from './routes/store-parts.ts';
import { showStoreCopy, startStoreCopy, stopStoreCopy } from './routes/store-copy.ts';
import { takeSnapshot } from './routes/take-snapshot.ts';

const endpoints: readonly OperatorEndpoint[] = [
  applyPricesOf,
  listDeadLetters,
  showDeadLetter,
  replayDeadLetters,
  takeSnapshot,
  listStoreParts,
  checkStorePart,
  setAsideStorePart,
  startStoreCopy,
  showStoreCopy,
  stopStoreCopy,
  receiveSpans,
  listOperatorPrices,
  importOperatorPrices,
];

/**
 * Endpoints across organisations, over HTTP in the API's envelope; the server does not listen yet. Invariant: it checks no key. Only a
 * socket that the user of the service alone can open serves it.
 */
export function createOperatorServer(work: OperatorWork): Server {
  return serverOf(createOperatorApp(work));
}

function createOperatorApp(work: OperatorWork): Hono {
  const app = bareApi(work.api);
  app.notFound((context) => {
    const sentence = `The operator's socket has no endpoint ${context.req.method} ${context.req.path}. Is the service of another version than the command?`;
    return sendProblem(context, new GatelogError('not_found', sentence), work.api.observe);
  });
  const limitBody = makeBodyLimit(work.api.bodyMaxBytes);
  for (const { method, path, handle } of endpoints) {
    app.on(method, path, async (context) => {
      await limitBody(context);
      return handle({ context, work });
    });
  }
  return app;
}
