import { Command, CommanderError, Option } from 'commander';
import { loadGiven, readVariables } from '../config/given.ts';
import { faultSentence } from '../config/load.ts';
import { keyPermissions } from '../model/principal.ts';
import type { BackupOptions } from './commands/backup.ts';
import type { PricesImportOptions } from './prices/prices.ts';
import type { DeadLettersListOptions, DeadLettersReplayOptions, DeadLettersShowOptions } from './commands/dead-letters.ts';
import type { KeysCreateOptions } from './commands/keys-create.ts';
import type { RepriceOptions } from './commands/reprice.ts';
import type { ServeOptions } from './commands/serve.ts';
import { CommandError, type CommandContext, type CommandDependencies } from './base/dependencies.ts';
import { addAgentCommands } from './programs/agents.ts';
import { addCompletionCommand } from './completion/program.ts';
import { addExportCommand } from './programs/export.ts';
import { addImportCommand } from './programs/import.ts';
import { addInitCommand } from './programs/init.ts';
import { addLimitCommands } from './programs/limits.ts';
import { withFilter } from './programs/options.ts';
import { addDoctorCommand } from './programs/doctor.ts';
import { addPropertyCommands } from './programs/properties.ts';
import { addSessionCommands } from './programs/sessions.ts';
import { addStoreCommands } from './programs/store.ts';
import { addRequestCommands } from './programs/requests.ts';
import { addDemoCommand } from './programs/demo.ts';
import { addRuleCommands } from './programs/rules.ts';
import { addMcpCommand } from './programs/mcp.ts';
import { addMetricsCommands } from './programs/metrics.ts';
import { exitCodeMeanings, type ExitCode, exitCodes } from './base/exit-codes.ts';
import { asInvoked } from './base/invocation-text.ts';
import { groupOf, shortHelp } from './groups.ts';
import { packageVersion } from './base/version.ts';

const examples = `
Examples:
  gatelog init                                asks for ports, folder and keys, starts everything, sends a call
  gatelog serve                               starts everything; prints the addresses and, once, a key
  gatelog config                              all settings with values, defaults and reasons
  gatelog orgs create acme                    an organisation of its own
  export GATELOG_API_KEY=$(gatelog keys create --org acme)
                                              a key for it, kept where clients look for it
  gatelog keys list --org acme                its keys, revoked ones too
  gatelog keys revoke sk-svc-us-Ab3x          ends a key, by its prefix or its id
  gatelog agents setup codex --write          routes a coding agent through the gateway; undo takes it back
  gatelog export --output week.csv --start-date 2026-01-05 --end-date 2026-01-12
                                              a week of requests as csv
  gatelog report                              today's cost by model and user, most expensive sessions, failures, a week's trend
  gatelog requests list --since today --where 'status>=400'
                                              what failed today
  gatelog sessions show support-4711          the tree of a session with cost, time, status and models
  gatelog users --sort cost                   who costs most
  gatelog metrics --metric cost --by properties.Team --start-date today
                                              what each team's calls cost today
  gatelog reprice --filter all --dry-run      what stored requests would cost at current prices
  gatelog import requests.jsonl               records from a file, with their identifiers and times
  gatelog import --from helicone --url URL    the history of a Helicone account, and a comparison of both sides
  gatelog properties set Team=search --filter all --dry-run
                                              how many requests a change of many would alter
  gatelog apply -f rules.yaml                 webhooks and alert rules as a file says
  gatelog limits set --usd 5 --per 1h --by properties.Team
                                              a budget for each team
  gatelog dead-letters list                   exchanges that could not be stored, and why
  gatelog prices import FILE                  list prices of your own: what a list would change
  gatelog backup /backups/monday              everything, while the service runs
  gatelog store check                         whether every file of the store is readable

Settings are environment variables that start with GATELOG_, or lines of a file .env in the working folder; "gatelog config"
explains each and says where its value comes from.
The commands orgs and keys work on the data folder (GATELOG_DATA_DIR), before the first start and beside a running service.
The commands dead-letters, prices, backup and store use the service that runs there, for all organisations and without a key.
All others use the running service at GATELOG_API_URL (http://127.0.0.1:8788) with GATELOG_API_KEY, which a file .env of
the working folder may hold.

Exit codes:
${exitCodeMeanings.map(([code, meaning]) => `  ${code}  ${meaning}`).join('\n')}`;

/** The `gatelog` command line. Its actions throw; {@link runCommand} turns that into a sentence and an exit code. */
export function buildProgram(dependencies: CommandDependencies): Command {
  const program = new Command('gatelog')
    .description('A gateway in front of LLM providers that records every request, and a query service over the records.')
    .version(packageVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .addHelpText('after', examples)
    .showHelpAfterError('Try "gatelog --help".')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => dependencies.print(asInvoked(text.trimEnd(), dependencies.environment)),
      writeErr: (text) => dependencies.hint(text.trimEnd()),
      outputError: (text, write) => write(text + settingInstead(text)),
    });
  addInitCommand(program, dependencies);
  addServe(program, dependencies);
  addDemoCommand(program, dependencies);
  addDoctorCommand(program, dependencies);
  program
    .command('config')
    .description('show every setting: value, default and what it is for')
    .action(async () => (await import('./commands/config-show.ts')).showConfig(dependencies));
  addMetricsCommands(program, dependencies);
  addRequestCommands(program, dependencies);
  addSessionCommands(program, dependencies);
  addRuleCommands(program, dependencies);
  addLimitCommands(program, dependencies);
  addImportCommand(program, dependencies);
  addRecordCommands(program, dependencies);
  addPropertyCommands(program, dependencies);
  addPriceCommands(program, dependencies);
  addOrganizationCommands(program, dependencies);
  addKeyCommands(program, dependencies);
  addAgentCommands(program, dependencies);
  addBackupCommands(program, dependencies);
  addStoreCommands(program, () => contextOf(dependencies));
  addDeadLetterCommands(program, dependencies);
  addProcessCommands(program, dependencies);
  addMcpCommand(program, dependencies);
  addCompletionCommand(program, dependencies);
  addWordsForOptions(program, dependencies);
  nameHelp(program, 'gatelog');
  for (const command of program.commands) command.helpGroup(`${groupOf(command.name()) ?? ''}:`);
  return program;
}

/** A usage error shows the help of its command. */
function nameHelp(command: Command, name: string): void {
  command.showHelpAfterError(`Try "${name} --help".`);
  for (const child of command.commands) nameHelp(child, `${name} ${child.name()}`);
}

/** Options of other programs, and our settings for the same. */
const settingsOfOptions: Readonly<Record<string, string>> = {
  port: 'GATELOG_PORT, or GATELOG_GATEWAY_PORT and GATELOG_API_PORT',
  host: 'GATELOG_HOST',
  data: 'GATELOG_DATA_DIR',
  'data-dir': 'GATELOG_DATA_DIR',
  workers: 'GATELOG_GATEWAY_WORKERS',
  'log-level': 'GATELOG_LOG_LEVEL',
};

/** @param text commander's message about a command line. */
function settingInstead(text: string): string {
  const setting = settingsOfOptions[/unknown option '--([a-z-]+)/.exec(text)?.[1] ?? ''];
  return setting === undefined ? '' : `Use a setting: ${setting}, in the environment.\n`;
}

/** `help` and `version` as words. */
function addWordsForOptions(program: Command, dependencies: CommandDependencies): void {
  program
    .command('help')
    .description('show this help, or that of a command: gatelog help keys create')
    .argument('[command...]', 'the command')
    .action((names: readonly string[]) => commandNamed(program, names).help());
  program
    .command('version')
    .description('print the version')
    .action(() => dependencies.print(packageVersion()));
}

function commandNamed(program: Command, names: readonly string[]): Command {
  let named = program;
  for (const name of names) {
    named = named.commands.find((command) => command.name() === name) ?? program.error(`error: unknown command '${names.join(' ')}'`);
  }
  return named;
}

/** Runs one command line. @param words the arguments behind the program's name. @returns one of {@link exitCodes}. */
export async function runCommand(words: readonly string[], dependencies: CommandDependencies): Promise<ExitCode> {
  if (words.length === 0) {
    dependencies.hint(shortHelp);
    return exitCodes.misused;
  }
  const program = buildProgram(dependencies);
  let name = program.name();
  program.hook('preAction', (_, command) => {
    name = nameOf(command);
  });
  try {
    await program.parseAsync(commandWords(program, words), { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    // Commander has already written its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.misused;
    const { exitCodeOf, sentenceOf } = await import('./base/failure.ts');
    dependencies.hint(sentenceOf(error));
    const code = exitCodeOf(error);
    if (code === exitCodes.misused) dependencies.hint(`Try "${name} --help".`);
    return code;
  }
}

/** Words without the wish for help where the command is not known: commander would show the help of its parent, and say nothing of it. */
function commandWords(program: Command, words: readonly string[]): readonly string[] {
  let command = program;
  for (const word of words) {
    if (command.commands.length === 0) return words;
    if (word.startsWith('-')) continue;
    const child = command.commands.find((each) => each.name() === word);
    if (child === undefined) return words.filter((each) => each !== '--help' && each !== '-h');
    command = child;
  }
  return words;
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

/**
 * Reads the configuration. @param supervised whether a supervisor has given this process all settings, also what it has read of files: a file
 * that has changed meanwhile must not give a part of the service other settings. @throws CommandError that names every fault.
 */
function contextOf(dependencies: CommandDependencies, supervised = false): CommandContext {
  const given = readVariables(dependencies.environment, supervised ? undefined : dependencies.environmentFile);
  const loaded = loadGiven(given);
  if ('faults' in loaded) throw new CommandError(loaded.faults.map(faultSentence).join('\n'));
  return { ...dependencies, environment: given.values, config: loaded.config };
}

function addServe(program: Command, dependencies: CommandDependencies): void {
  program
    .command('serve')
    .description('start everything on this machine: gateway, ingest, store and API')
    .option('--new-metadata', 'start a new deployment where metadata.db is missing; existing records become unreadable')
    .action(async (options: ServeOptions) => (await import('./commands/serve.ts')).serveAll(contextOf(dependencies), options));
}

/** Parts of `serve`. */
function addProcessCommands(program: Command, dependencies: CommandDependencies): void {
  program
    .command('gateway')
    .description('run one gateway worker alone; "serve" starts these itself')
    .addOption(supervisedOption())
    .action(async ({ supervised }: Supervised) =>
      (await import('../main/roles.ts')).runGateway(contextOf(dependencies, supervised).config, supervised),
    );
  program
    .command('core')
    .description('run ingest, store and API alone; "serve" starts it itself')
    .addOption(supervisedOption())
    .action(async ({ supervised }: Supervised) =>
      (await import('../main/roles.ts')).runCore(contextOf(dependencies, supervised).config, packageVersion(), supervised),
    );
}

interface Supervised {
  readonly supervised?: boolean;
}

function supervisedOption(): Option {
  return new Option('--supervised').hideHelp();
}

function addOrganizationCommands(program: Command, dependencies: CommandDependencies): void {
  const orgs = program.command('orgs').description('organisations: each has its own requests, keys and settings').helpCommand(false);
  orgs
    .command('create')
    .description('create an organisation and print its id')
    .argument('<name>', 'its name, 1 to 128 characters')
    .action(async (name: string) => (await import('./commands/orgs-create.ts')).createOrganizationByName(contextOf(dependencies), name));
  orgs
    .command('list')
    .description('show all organisations')
    .action(async () => (await import('./commands/orgs-list.ts')).showOrganizations(contextOf(dependencies)));
}

function addKeyCommands(program: Command, dependencies: CommandDependencies): void {
  const keys = program.command('keys').description('keys that callers send to the gateway and the API').helpCommand(false);
  keys
    .command('create')
    .description('create a key and print it once')
    .requiredOption('--org <name>', 'the organisation, by name or id (required)')
    .addOption(
      new Option('--permissions <permissions>', 'rw: send and read, r: read, w: send, admin: all and the settings')
        .choices(keyPermissions)
        .default('rw'),
    )
    .option('--name <text>', 'what the key is for', 'command line')
    .action(async (options: KeysCreateOptions) => (await import('./commands/keys-create.ts')).createKey(contextOf(dependencies), options));
  keys
    .command('list')
    .description('show keys by their prefix')
    .option('--org <name>', 'only keys of this organisation, by name or id')
    .action(async (options: { org?: string }) => (await import('./commands/keys-list.ts')).showKeys(contextOf(dependencies), options));
  keys
    .command('revoke')
    .description('revoke a key for good; gateways refuse it within 5 seconds')
    .argument('<id-or-prefix>', 'its id, the prefix that "keys list" shows, or the key itself')
    .action(async (reference: string) => (await import('./commands/keys-revoke.ts')).revokeKey(contextOf(dependencies), reference));
}

function addDeadLetterCommands(program: Command, dependencies: CommandDependencies): void {
  const letters = program
    .command('dead-letters')
    .description('exchanges that could not be stored, of all organisations; the service must run')
    .helpCommand(false);
  letters
    .command('list')
    .description('list them a page at a time, latest requests first')
    .option('--after <id>', 'continue after this id')
    .option('--limit <count>', 'how many, 1 to 1000', '100')
    .option('--reason <text>', 'only letters whose reason contains this text')
    .option('--json', 'write the page as JSON')
    .action(async (options: DeadLettersListOptions) =>
      (await import('./commands/dead-letters.ts')).listDeadLetters(contextOf(dependencies), options),
    );
  letters
    .command('show')
    .description('show one: organisation, time, reason and the headers of its frames')
    .argument('<id>', 'its id, as the list shows it')
    .option('--bodies', "show the bodies too: they are customers' data")
    .option('--json', 'write it as JSON')
    .action(async (id: string, options: DeadLettersShowOptions) =>
      (await import('./commands/dead-letters.ts')).showDeadLetter(contextOf(dependencies), id, options),
    );
  letters
    .command('replay')
    .description('store them again; letters that fail again stay, with the new reason')
    .argument('[ids...]', 'their ids')
    .option('--all', 'all dead letters')
    .option('--reason <text>', 'with --all: only letters whose reason contains this text')
    .action(async (ids: readonly string[], options: DeadLettersReplayOptions) =>
      (await import('./commands/dead-letters.ts')).replayDeadLetters(contextOf(dependencies), ids, options),
    );
}

function addPriceCommands(program: Command, dependencies: CommandDependencies): void {
  const prices = program
    .command('prices')
    .description('list prices of your own, for all organisations; the service must run')
    .helpCommand(false);
  prices
    .command('import')
    .description('show what a price list would change, and with --apply change it; prices of organisations stay')
    .argument(
      '<file>',
      "an array of prices, genai-prices' data.json or LiteLLM's model_prices_and_context_window.json; - reads standard input",
    )
    .option('--apply', 'take the changes over; they hold within five seconds')
    .option('--replace', 'remove imported prices that the file lacks; an empty array removes all')
    .option('--zero-is-free', 'take a listed 0 as a price; lists write it for what they do not know')
    .option('--source <text>', 'who says so, for entries that do not (default: the name of the file)')
    .option('--json', 'write the changes as JSON')
    .action(async (file: string, options: PricesImportOptions) =>
      (await import('./prices/prices.ts')).importPrices(contextOf(dependencies), file, options),
    );
  prices
    .command('list')
    .description('show what was imported')
    .option('--json', 'write it as JSON')
    .action(async (options: { json?: true }) => (await import('./prices/prices.ts')).listPrices(contextOf(dependencies), options));
}

function addBackupCommands(program: Command, dependencies: CommandDependencies): void {
  program
    .command('backup')
    .description('copy all data into a new folder while the service runs')
    .argument('<folder>', 'the folder to create')
    .option('--with-secrets', 'include the secret key of the data folder and what it encrypts: provider keys, secrets of webhooks')
    .action(async (folder: string, options: BackupOptions) =>
      (await import('./commands/backup.ts')).makeBackup(contextOf(dependencies), folder, options),
    );
  program
    .command('restore')
    .description('create the data folder (GATELOG_DATA_DIR), which must not exist yet, from a backup')
    .argument('<folder>', 'the backup')
    .action(async (folder: string) => (await import('./commands/restore.ts')).restore(contextOf(dependencies), folder));
}

/** Commands on records: they use the running service's API with the key of an organisation. */
function addRecordCommands(program: Command, dependencies: CommandDependencies): void {
  addExportCommand(program, dependencies);
  const reprice = program.command('reprice').description('apply current prices to stored requests and print the difference');
  withFilter(reprice)
    .option('--start-date <date>', 'only requests from then on: a date or a time, UTC')
    .option('--end-date <date>', 'only requests up to then; a date includes its whole day')
    .option('--dry-run', 'print the difference and change nothing')
    .option('--json', 'write the report as JSON')
    .option('--all', 'for every organisation; run it on the machine of the service, without a key')
    .action(async (options: RepriceOptions) => {
      const commands = await import('./commands/reprice.ts');
      await (options.all === true ? commands.repriceAll(contextOf(dependencies), options) : commands.reprice(dependencies, options));
    });
}
