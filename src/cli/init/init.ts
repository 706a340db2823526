import { lstatSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { generateKey } from '../../auth/api-key.ts';
import { faultSentence, loadConfig } from '../../config/load.ts';
import { hasMetadata } from '../../metadata/metadata-file.ts';
import { readFileIfPresent, replaceFile } from '../../platform/files.ts';
import { type CommandDependencies, CommandError } from '../base/dependencies.ts';
import { reachable } from '../base/open-host.ts';
import { serveAll } from '../commands/serve.ts';
import { type Answers, askedAnswers, givenAnswers, type InitOptions, requireFreePorts } from './answers.ts';
import { type Variables, withVariables } from './env-lines.ts';
import { makeFirstCall } from './first-call.ts';

const heading =
  '# Settings of Gatelog, which it reads when it starts in this folder. "gatelog config" explains each. Keep it to yourself: it holds keys.\n';

/** `gatelog init`: asks for what a first start needs, writes it into `.env`, starts the service and sends a first call. */
export async function initialise(dependencies: CommandDependencies, options: InitOptions): Promise<void> {
  const { environmentFile: file, environment } = dependencies;
  const isTerminal = options.yes !== true && process.stdin.isTTY && process.stdout.isTTY;
  const before = readFileIfPresent(file);
  if (before !== undefined && lstatSync(file).isSymbolicLink()) throw new CommandError(`${file} is a link. Set the variables by hand.`);
  const answers = await (isTerminal ? askedAnswers(dependencies, options) : givenAnswers(dependencies, options));
  await requireFreePorts(answers);
  const variables = variablesOf(answers, parseEnv(before ?? ''));
  if (before !== undefined && !(await mayChange(dependencies, isTerminal, options))) throw new CommandError(`${file} is as it was.`);
  // Mode 0600.
  replaceFile(file, withVariables(before ?? heading, variables));
  dependencies.print(`Wrote ${path.resolve(file)}, which only you can read.`);
  if (!options.start) {
    dependencies.print('Start it in this folder with: gatelog serve');
    return;
  }
  const others = Object.keys(variables).filter((name) => ![undefined, '', variables[name]].includes(environment[name]));
  if (others.length > 0) dependencies.hint(`The environment has another ${others.join(', ')}, which holds before that of ${file}.`);
  await serve({ ...dependencies, environment: { ...parseEnv(readFileIfPresent(file) ?? ''), ...environment } }, answers);
}

/** What an earlier file says of the key stays. A data folder that has keys takes none from a setting. */
function variablesOf(
  { gatewayPort, apiPort, dataDir, providerKeys }: Answers,
  before: Readonly<Record<string, string | undefined>>,
): Variables {
  const region = before['GATELOG_REGION'] ?? 'us';
  const made = hasMetadata(path.resolve(dataDir)) ? undefined : (before['GATELOG_BOOTSTRAP_API_KEY'] ?? generateKey(region));
  return {
    GATELOG_GATEWAY_PORT: String(gatewayPort),
    GATELOG_API_PORT: String(apiPort),
    GATELOG_DATA_DIR: dataDir,
    // Of commands in this folder.
    GATELOG_API_URL: `http://127.0.0.1:${apiPort}`,
    ...(made === undefined ? {} : { GATELOG_BOOTSTRAP_API_KEY: made, GATELOG_API_KEY: made }),
    ...Object.fromEntries([...providerKeys].map(([provider, key]) => [`GATELOG_PROVIDER_${provider.toUpperCase()}_KEY`, key])),
  };
}

async function mayChange({ environmentFile: file }: CommandDependencies, isTerminal: boolean, { yes }: InitOptions): Promise<boolean> {
  if (yes === true) return true;
  if (isTerminal) {
    return (await import('./questions.ts')).askWhether(`There is a ${file}. Set these variables in it, and leave its other lines?`);
  }
  throw new CommandError(`There is a ${file}. Its lines for these variables are replaced, and all others left, with --yes.`);
}

async function serve(dependencies: CommandDependencies, { model }: Answers): Promise<void> {
  const loaded = loadConfig(dependencies.environment);
  if ('faults' in loaded) throw new CommandError(loaded.faults.map(faultSentence).join('\n'));
  const { config } = loaded;
  const { GATELOG_API_KEY: key = '' } = dependencies.environment;
  await serveAll(
    { ...dependencies, config },
    {
      whenReady: ({ addresses }) => {
        if (key === '') return dependencies.hint('No first call was sent: set GATELOG_API_KEY to a key of this data folder.');
        const pages = config.publicApiUrl ?? reachable(addresses.api);
        void makeFirstCall(dependencies, { gateway: reachable(addresses.gateway), pages, key, model });
      },
    },
  );
}
