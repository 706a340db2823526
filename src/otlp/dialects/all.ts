import { aiSdk } from './ai-sdk.ts';
import { anthropicSdk } from './anthropic-sdk.ts';
import type { Dialect } from './dialect.ts';
import { genAi } from './gen-ai.ts';
import { langfuse } from './langfuse.ts';
import { mastra } from './mastra.ts';
import { openInference } from './open-inference.ts';
import { gatelogHeaders } from './gatelog-headers.ts';
import { traceloop } from './traceloop.ts';

/**
 * The dialects in order of precedence: what a person wrote down for a span before what an instrumentation did, and a dialect that extends
 * another before that one.
 */
export const dialects: readonly Dialect[] = [gatelogHeaders, langfuse, openInference, aiSdk, anthropicSdk, mastra, genAi, traceloop];
