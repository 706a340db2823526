import { addressedProviders } from '../model/providers/providers.ts';
import type { Fault } from './fault.ts';
import { kinds, readUrl } from './kinds.ts';
import { thisMachine } from './machine.ts';
import { peopleFaults } from './people-faults.ts';
import type { Reading } from './reading.ts';
import { readMailSender } from './smtp-url.ts';
import { oneAddressFaults, publicAddresses } from './one-address.ts';
import { withoutServiceLinks } from './service-links.ts';
import { nearestName } from './suggest.ts';
import type { Machine, Variable } from './variable.ts';
import { clientVariables, defaultText, settingRows, variables, type Settings, type SettingName } from './variables.ts';

export interface ProviderSettings {
  /** Replaces the provider's base address; without a trailing slash. */
  readonly baseUrl?: string;
  /** The deployment's credential for the provider. */
  readonly key?: string;
}

export interface Config extends Settings {
  /** By provider name in lower case, from `GATELOG_PROVIDER_<NAME>_URL` and `_KEY`. The object has no prototype. */
  readonly providers: Readonly<Record<string, ProviderSettings>>;
}

export type LoadedConfig = { readonly config: Config } | { readonly faults: readonly Fault[] };
type Environment = Readonly<Record<string, string | undefined>>;

const providerShape = /^GATELOG_PROVIDER_([A-Z0-9]+(?:_[A-Z0-9]+)*)_(URL|KEY)$/;
const httpSchemes = ['https', 'http'];
const knownProviders: readonly string[] = addressedProviders;

/**
 * Reads the settings of an environment and reports all faults at once; an empty variable counts as unset. @param machine input of
 * defaults.
 */
export function loadConfig(given: Environment, machine: Machine = thisMachine()): LoadedConfig {
  const environment = withoutServiceLinks(given);
  const faults: Fault[] = [];
  const settings: Partial<Record<SettingName, unknown>> = {};
  for (const [key, variable] of settingRows) {
    const reading = readSetting(variable, environment[variable.name], machine);
    if ('problem' in reading) {
      faults.push({ variable: variable.name, problem: reading.problem, remedy: `write ${kinds[variable.kind].form(variable)}` });
    } else settings[key] = reading.value;
  }
  const providers = readProviders(environment, faults);
  faults.push(...unknownNames(environment));
  if (faults.length > 0) return { faults };
  const read = { ...(settings as unknown as Settings), providers };
  const config = Object.freeze({ ...read, ...publicAddresses(read) });
  const contradictions = [...contradictionsIn(config), ...oneAddressFaults(read, environment)];
  return contradictions.length > 0 ? { faults: contradictions } : { config };
}

export function faultSentence(fault: Fault): string {
  return `${fault.place === undefined ? '' : `${fault.place}: `}${fault.variable} ${fault.problem}; ${fault.remedy}.`;
}

function readSetting(variable: Variable, given: string | undefined, machine: Machine): Reading<unknown> {
  const text = given === undefined || given === '' ? defaultText(variable, machine) : given;
  return text === undefined ? { value: undefined } : kinds[variable.kind].read(text, variable);
}

function readProviders(environment: Environment, faults: Fault[]): Config['providers'] {
  const providers: Record<string, { baseUrl?: string; key?: string }> = Object.create(null) as Record<string, ProviderSettings>;
  for (const [variable, text] of Object.entries(environment)) {
    const [, name, field] = providerShape.exec(variable) ?? [];
    if (name === undefined || text === undefined || text === '') continue;
    if (!knownProviders.includes(name.toLowerCase())) {
      faults.push({
        variable,
        problem: `names no provider that is known here (${name.toLowerCase()})`,
        remedy: `known are: ${knownProviders.join(', ')}`,
      });
      continue;
    }
    const reading = field === 'URL' ? readUrl(text, httpSchemes) : kinds.secret.read(text, { min: 1, max: 4096 });
    if ('problem' in reading) {
      faults.push({
        variable,
        problem: reading.problem,
        remedy: `write ${field === 'URL' ? kinds.url.form({ schemes: httpSchemes }) : kinds.secret.form({ min: 1, max: 4096 })}`,
      });
      continue;
    }
    const provider = (providers[name.toLowerCase()] ??= {});
    provider[field === 'URL' ? 'baseUrl' : 'key'] = reading.value;
  }
  for (const provider of Object.values(providers)) Object.freeze(provider);
  return Object.freeze(providers);
}

function unknownNames(environment: Environment): readonly Fault[] {
  const known = settingRows.map(([, variable]) => variable.name as string);
  const ours = Object.keys(environment).filter((name) => name.startsWith('GATELOG_') && environment[name] !== undefined);
  return ours
    .filter((name) => !known.includes(name) && !clientVariables.has(name) && !providerShape.test(name))
    .map((variable) => ({ variable, problem: 'is not a setting', remedy: remedyForUnknown(variable, known) }));
}

function remedyForUnknown(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `write ${nearest} if that is meant, or remove it`;
  if (name.startsWith('GATELOG_PROVIDER_')) return 'write GATELOG_PROVIDER_<NAME>_URL or GATELOG_PROVIDER_<NAME>_KEY';
  return 'remove it; `gatelog config` lists all settings';
}

/** A batch whose insert has begun when the disk becomes full, and the engine's merges meanwhile. */
const batchesInSpareBytes = 2;

/** The sender of mails; undefined when none is known. */
export function mailSenderOf({ smtpFrom, smtpUrl }: Pick<Config, 'smtpFrom' | 'smtpUrl'>): string | undefined {
  const { from, login } = smtpUrl ?? {};
  return smtpFrom ?? from ?? (login === undefined ? undefined : readMailSender(login.user));
}

/** Settings that are valid one by one and contradict each other. */
function contradictionsIn(config: Config): readonly Fault[] {
  const faults: Fault[] = [];
  if (config.port === undefined && config.gatewayPort !== 0 && config.gatewayPort === config.apiPort) {
    faults.push({
      variable: variables.apiPort.name,
      problem: `is ${config.apiPort}, which is the gateway's port too`,
      remedy: 'write another port',
    });
  }
  if (config.smtpUrl !== undefined && mailSenderOf(config) === undefined) {
    faults.push({
      variable: variables.smtpUrl.name,
      problem: 'names no sender',
      remedy: `add ?from=alerts@example.com, or set ${variables.smtpFrom.name}`,
    });
  }
  if (config.spoolSegmentBytes > config.spoolMaxBytes) {
    faults.push({
      variable: variables.spoolSegmentBytes.name,
      problem: 'is larger than the whole spool',
      remedy: `write at most the value of ${variables.spoolMaxBytes.name}`,
    });
  }
  if (config.recordMaxBytes > config.spoolMaxBytes) {
    faults.push({
      variable: variables.recordMaxBytes.name,
      problem: 'is larger than the whole spool',
      remedy: `write at most the value of ${variables.spoolMaxBytes.name}`,
    });
  }
  if (config.clickhouseUrl === undefined && config.storeSpareBytes < batchesInSpareBytes * config.ingestBatchBytes) {
    faults.push({
      variable: variables.storeSpareBytes.name,
      problem: `is smaller than ${batchesInSpareBytes} batches of records, so that one that is under way could fill the disk`,
      remedy: `write at least ${batchesInSpareBytes} times the value of ${variables.ingestBatchBytes.name}`,
    });
  }
  faults.push(...peopleFaults(config));
  if ((config.tlsCertFile === undefined) !== (config.tlsKeyFile === undefined)) {
    const [given, missing] =
      config.tlsKeyFile === undefined ? (['tlsCertFile', 'tlsKeyFile'] as const) : (['tlsKeyFile', 'tlsCertFile'] as const);
    faults.push({
      variable: variables[given].name,
      problem: `is set without ${variables[missing].name}`,
      remedy: 'set both, or neither of them',
    });
  }
  const { azure } = config.providers;
  if (azure?.key !== undefined && azure.baseUrl === undefined) {
    faults.push({
      variable: 'GATELOG_PROVIDER_AZURE_KEY',
      problem: 'is set without GATELOG_PROVIDER_AZURE_URL, so nothing tells to which resource it belongs',
      remedy: 'write that address too (https://<resource>.openai.azure.com)',
    });
  }
  return faults;
}
