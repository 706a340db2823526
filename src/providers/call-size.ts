import type { CallSize } from '../model/record/call-size.ts';
import { isJsonObject, type JsonObject } from '../model/text.ts';
import { listOf, objectOf, textOf } from './format/fields.ts';

/** Allowance for the text that providers add around the caller's tools. */
const toolTokens = 1000;
const maxChoices = 100_000;

/** Members or part types for input whose size the body does not bound: media, files, input that the provider stores or looks up. */
const unboundedInput =
  /"(?:input_|output_)?(?:image|audio|video|file|document)(?:_url|_id|_data)?"|"(?:inlineData|inline_data|fileData|file_uri|fileUri|url|modalities|responseModalities|response_modalities|cachedContent|cached_content|image_generation|previous_response_id|previous_interaction_id|conversation|assistant_id|container|mcp\w*|web_search\w*|web_fetch\w*|google\w*|urlContext|url_context|codeExecution|code_execution\w*|code_interpreter|file_search|computer\w*|search_\w+|plugins)"/;

/**
 * Estimates an upper bound of a call's size from its JSON body. Except for the output limits, members are read regardless of the wire
 * format: their names mean the same everywhere, and where they mean nothing they only enlarge the estimate. A token is at least one byte
 * of text. @param bytes of the whole body. @param outputLimits of the wire format; a provider ignores limits named as in another format.
 * @param text result of {@link scanBody}, where known.
 */
export function readCallSize(body: JsonObject, bytes: number, outputLimits: readonly string[], text = scanBody(body)): CallSize {
  const generation = objectOf(body['generationConfig'] ?? body['generation_config']);
  const isText = text.isText && !isJsonObject(body['prompt']);
  const tools = ['tools', 'functions', 'toolConfig'].some((name) => name in body) ? toolTokens : 0;
  const limits = outputLimits.map((path) => memberAt(body, path)).filter(isCount);
  const choiceCounts = [body['n'], body['best_of'], generation['candidateCount'], generation['candidate_count']].filter(isCount);
  return {
    models: [...new Set([textOf(body['model']), ...listOf(body['models']).map(textOf)])].filter((model) => model !== ''),
    serviceTier: tierOf(body),
    geo: textOf(body['inference_geo']),
    inputTokens: isText ? bytes + tools : undefined,
    outputTokens: outputBound(limits),
    choices: Math.min(maxChoices, Math.max(1, ...choiceCounts) * promptsIn(body['prompt'])),
    isText,
    writesCache: text.writesCache,
  };
}

/** Facts from the names at any depth of a body. */
export interface BodyScan {
  readonly isText: boolean;
  readonly writesCache: boolean;
}

/** Scans the whole body; call it once for a large one. */
export function scanBody(body: JsonObject): BodyScan {
  const text = JSON.stringify(body);
  return {
    isText: !unboundedInput.test(withoutSchemas(body)),
    writesCache: text.includes('"cache_control"') || text.includes('"cachePoint"'),
  };
}

/** The body as JSON without schemas, which may contain any name; tools keep only their kinds. */
function withoutSchemas(body: JsonObject): string {
  const { tools, functions: _functions, response_format: _format, toolConfig, ...rest } = body;
  const allTools = [...listOf(tools), ...listOf(objectOf(toolConfig)['tools'])];
  const kinds = allTools.map((tool) => [textOf(objectOf(tool)['type']), ...Object.keys(objectOf(tool))]);
  return JSON.stringify([rest, kinds]);
}

/** The requested tier; empty for the default one. */
function tierOf(body: JsonObject): string {
  const tiers = [
    body['speed'],
    body['service_tier'],
    objectOf(body['performanceConfig'])['latency'],
    objectOf(body['serviceTier'])['type'],
  ];
  return tiers.map(textOf).find((tier) => tier !== '' && tier !== 'standard') ?? '';
}

/** A list of texts is a list of prompts; a list of numbers is one prompt. */
function promptsIn(prompt: unknown): number {
  const prompts = listOf(prompt).filter((each) => typeof each !== 'number');
  return Math.max(1, prompts.length);
}

/** TRICKY: some servers, such as Ollama, treat a limit of 0 as no limit. */
function outputBound(limits: readonly number[]): number | undefined {
  return limits.length === 0 || limits.includes(0) ? undefined : Math.max(...limits);
}

function memberAt(body: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => objectOf(value)[name], body);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
