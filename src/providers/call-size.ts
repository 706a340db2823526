import { isJsonObject, type JsonObject } from '../model/text.ts';
import { listOf, objectOf, textOf } from './facts.ts';

/** How large a call may be, as far as its body says. */
export interface CallSize {
  /** Models that may answer, besides the one that the wire format reads. */
  readonly models: readonly string[];
  /** The tier that the caller asks for; empty for the one that everyone gets. A provider may still serve, and bill, another. */
  readonly serviceTier: string;
  /** Tokens of the input at most, undefined where the body does not hold all of it. */
  readonly inputTokens: number | undefined;
  /** Tokens of one answer at most, undefined where the body sets no limit. */
  readonly outputTokens: number | undefined;
  /** Answers that are generated. */
  readonly answers: number;
  /** Only text goes in and comes out. */
  readonly isText: boolean;
  readonly writesCache: boolean;
}

/** What providers put around the caller's tools. */
const toolTokens = 1000;
const mostAnswers = 100_000;

/** Names, of members or of kinds of parts, for input that the body's bytes do not bound: media, files, what the provider keeps or looks up itself. */
const beyondText =
  /"(?:input_|output_)?(?:image|audio|video|file|document)(?:_url|_id|_data)?"|"(?:inlineData|inline_data|fileData|file_uri|fileUri|url|modalities|responseModalities|response_modalities|cachedContent|cached_content|image_generation|previous_response_id|previous_interaction_id|conversation|assistant_id|container|mcp\w*|web_search\w*|web_fetch\w*|google\w*|urlContext|url_context|codeExecution|code_execution\w*|code_interpreter|file_search|computer\w*|search_\w+|plugins)"/;

/**
 * Reads how large a call may be from its JSON body. All but the limits of its answer is read whatever the wire format: those names mean the same
 * everywhere, and where they mean nothing they make the call look larger, never smaller. A token is at least a byte of the text that it stands for.
 * @param bytes of the whole body.
 * @param outputLimits of the wire format: a limit by the name of another format is none, as its provider does not read it.
 */
export function readCallSize(body: JsonObject, bytes: number, outputLimits: readonly string[]): CallSize {
  const text = JSON.stringify(body);
  const generation = objectOf(body['generationConfig'] ?? body['generation_config']);
  const isText = !beyondText.test(withoutSchemas(body)) && !isJsonObject(body['prompt']);
  const tools = ['tools', 'functions', 'toolConfig'].some((name) => name in body) ? toolTokens : 0;
  const said = outputLimits.map((path) => memberAt(body, path)).filter(isCount);
  const wanted = [body['n'], body['best_of'], generation['candidateCount'], generation['candidate_count']].filter(isCount);
  return {
    models: [...new Set([textOf(body['model']), ...listOf(body['models']).map(textOf)])].filter((model) => model !== ''),
    serviceTier: tierOf(body),
    inputTokens: isText ? bytes + tools : undefined,
    outputTokens: said.length === 0 ? undefined : Math.max(...said),
    answers: Math.min(mostAnswers, Math.max(1, ...wanted) * promptsIn(body['prompt'])),
    isText,
    writesCache: text.includes('"cache_control"') || text.includes('"cachePoint"'),
  };
}

/** The body as JSON, without the schemas in it, which may name anything; of tools what kind they are. */
function withoutSchemas(body: JsonObject): string {
  const { tools, functions: _functions, response_format: _format, toolConfig, ...rest } = body;
  const given = [...listOf(tools), ...listOf(objectOf(toolConfig)['tools'])];
  const kinds = given.map((tool) => [textOf(objectOf(tool)['type']), ...Object.keys(objectOf(tool))]);
  return JSON.stringify([rest, kinds]);
}

/** What is asked for in place of the service that everyone gets. */
function tierOf(body: JsonObject): string {
  const asked = [
    body['speed'],
    body['service_tier'],
    objectOf(body['performanceConfig'])['latency'],
    objectOf(body['serviceTier'])['type'],
  ];
  return asked.map(textOf).find((tier) => tier !== '' && tier !== 'standard') ?? '';
}

/** A list of prompts is answered one by one; a list of numbers is one prompt. */
function promptsIn(prompt: unknown): number {
  const prompts = listOf(prompt).filter((each) => typeof each !== 'number');
  return Math.max(1, prompts.length);
}

function memberAt(body: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => objectOf(value)[name], body);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
