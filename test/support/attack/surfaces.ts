import type { Surface } from './surface.ts';
import { alerts } from './surfaces/alerts.ts';
import { bodies } from './surfaces/bodies.ts';
import { batches, facets } from './surfaces/metrics.ts';
import { imports } from './surfaces/imports.ts';
import { logs } from './surfaces/logs.ts';
import { exports, mcp } from './surfaces/reads.ts';
import { redaction } from './surfaces/redaction.ts';
import { packedReplies, slowReplies } from './surfaces/replies.ts';
import { cursors, limits, savedThings } from './surfaces/saved.ts';
import { changes, prices } from './surfaces/settings.ts';
import { spans } from './surfaces/spans.ts';
import { streams } from './surfaces/streams.ts';
import { telemetry } from './surfaces/telemetry.ts';
import { texts } from './surfaces/texts.ts';
import { uploads } from './surfaces/uploads.ts';
import { webhooks } from './surfaces/webhooks.ts';

/** All ways in which one organisation attacks, in the order in which they run. */
export const surfaces: readonly Surface[] = [
  spans,
  telemetry,
  streams,
  webhooks,
  alerts,
  redaction,
  imports,
  mcp,
  exports,
  logs,
  prices,
  changes,
  bodies,
  uploads,
  slowReplies,
  packedReplies,
  cursors,
  facets,
  batches,
  limits,
  savedThings,
  texts,
];
