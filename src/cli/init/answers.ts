import { addressedProviders, declaredProviders, type AddressedProvider } from '../../model/providers/providers.ts';
import { portProblem } from '../../supervisor/port-check.ts';
import { type CommandDependencies, CommandError, UsageError } from '../base/dependencies.ts';

export interface InitOptions {
  readonly gatewayPort?: number;
  readonly apiPort?: number;
  readonly dataDir?: string;
  /** `<provider>=<variable that holds the key>`. */
  readonly providerKey?: readonly string[];
  readonly firstCall?: string;
  readonly yes?: true;
  /** False: `--no-start`. */
  readonly start: boolean;
}

/** What a first start needs to know. */
export interface Answers {
  readonly gatewayPort: number;
  readonly apiPort: number;
  readonly dataDir: string;
  readonly providerKeys: ReadonlyMap<AddressedProvider, string>;
  /** Model of the first call. */
  readonly model: string;
}

const defaults = { gatewayPort: 8787, apiPort: 8788, dataDir: './data', model: 'echo/demo' } as const;
const maxPort = 65_535;

/** Providers that take one key: not those of this machine, nor those that are another customer's address each time. */
const keyedProviders = addressedProviders.filter((name) => {
  const { isLocal, isCustomers } = declaredProviders[name];
  return isLocal !== true && isCustomers !== true;
});

/** On a terminal. The questions are loaded here alone. */
export async function askedAnswers(dependencies: CommandDependencies, options: InitOptions): Promise<Answers> {
  const { askSecret, askText, askWhich } = await import('./questions.ts');
  const askPort = async (of: Listener, message: string, standard: number): Promise<number> => {
    for (;;) {
      const port = Number(await askText({ message, default: String(standard), check: portFault }));
      const problem = await takenPort(of, port);
      if (problem === undefined) return port;
      dependencies.hint(problem);
    }
  };
  const gatewayPort =
    options.gatewayPort ?? (await askPort('gateway', 'Port of the gateway, which takes model calls', defaults.gatewayPort));
  const apiPort = options.apiPort ?? (await askPort('API', 'Port of the API and the dashboard', defaults.apiPort));
  const dataDir = options.dataDir ?? (await askText({ message: 'Folder for all data', default: defaults.dataDir }));
  const given = keysOf(dependencies, options.providerKey ?? []);
  const asked =
    options.providerKey === undefined ? await askWhich('Keys of providers to store (Space chooses, Enter goes on)', keyedProviders) : [];
  const providerKeys = new Map(given);
  for (const provider of asked) providerKeys.set(provider, await askSecret(`Key for ${provider}, which is not shown`));
  const model =
    options.firstCall ?? (await askText({ message: 'Model of the first call; echo/demo needs no account', default: defaults.model }));
  return checked({ gatewayPort, apiPort, dataDir, providerKeys, model });
}

/** Options, and with `--yes` defaults for what they leave open. @throws UsageError that names the options without which nobody is asked. */
export function givenAnswers(dependencies: CommandDependencies, options: InitOptions): Answers {
  const { gatewayPort, apiPort, dataDir, providerKey = [], firstCall, yes } = options;
  const open = Object.entries({ '--gateway-port': gatewayPort, '--api-port': apiPort, '--data-dir': dataDir }).filter(
    ([, answer]) => answer === undefined,
  );
  if (open.length > 0 && yes !== true) {
    const names = open.map(([name]) => name).join(', ');
    throw new UsageError(`This is no terminal, so nobody can be asked. Give ${names}, or take the defaults with --yes.`);
  }
  return checked({
    gatewayPort: gatewayPort ?? defaults.gatewayPort,
    apiPort: apiPort ?? defaults.apiPort,
    dataDir: dataDir ?? defaults.dataDir,
    providerKeys: keysOf(dependencies, providerKey),
    model: firstCall ?? defaults.model,
  });
}

/** Keys are named by the variables that hold them: what stands in a command line is seen by others. */
function keysOf({ environment }: CommandDependencies, given: readonly string[]): ReadonlyMap<AddressedProvider, string> {
  return new Map(
    given.map((text) => {
      const [, name = '', variable = ''] = /^([^=]+)=(\w+)$/.exec(text) ?? [];
      const provider = keyedProviders.find((each) => each === name);
      if (provider === undefined || variable === '') {
        throw new UsageError(
          `--provider-key takes a provider and the variable that holds its key. Providers: ${keyedProviders.join(', ')}.`,
        );
      }
      const key = environment[variable] ?? '';
      if (key === '') throw new UsageError(`--provider-key ${text}: ${variable} is not set.`);
      return [provider, key] as const;
    }),
  );
}

function portFault(text: string): string | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= maxPort
    ? undefined
    : `A port is a whole number from 1 to ${maxPort}.`;
}

function checked(answers: Answers): Answers {
  if (answers.gatewayPort !== answers.apiPort) return answers;
  throw new UsageError(`Gateway and API need two ports; ${answers.apiPort} was given for both.`);
}

type Listener = 'gateway' | 'API';

/** @throws CommandError when a port is taken, before anything is written. */
export async function requireFreePorts({ gatewayPort, apiPort }: Answers): Promise<void> {
  const problem = (await takenPort('gateway', gatewayPort)) ?? (await takenPort('API', apiPort));
  if (problem !== undefined) throw new CommandError(problem);
}

/** @returns a sentence for people; undefined for a port that can be had. */
async function takenPort(name: Listener, port: number): Promise<string | undefined> {
  const variable = name === 'gateway' ? '--gateway-port' : '--api-port';
  const problem = await portProblem({ name, host: '127.0.0.1', port, variable });
  return problem?.replace(/ Set .*$/, ` Give another one (${variable}).`);
}
