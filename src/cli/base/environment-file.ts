import { readEnvironmentFile } from '../../config/environment-file.ts';
import { messageOf } from '../../model/errors.ts';
import { type CommandDependencies, CommandError } from './dependencies.ts';

/** Where the API is, and the key for it; undefined: not given. */
export interface ServiceSettings {
  readonly apiUrl: string | undefined;
  readonly apiKey: string | undefined;
  /** The file names an address too, which is not used. */
  readonly isFileAddressUnused?: true;
}

/**
 * `GATELOG_API_URL` and `GATELOG_API_KEY` of the environment, and what it lacks from the file `.env` of the working folder. TRICKY: a key of
 * the environment goes to no address of the file, as a folder that somebody else has written would be sent the key.
 */
export function serviceSettings({ environment, environmentFile }: CommandDependencies): ServiceSettings {
  const { GATELOG_API_URL: apiUrl, GATELOG_API_KEY: apiKey } = environment;
  if (apiUrl !== undefined && apiKey !== undefined) return { apiUrl: given(apiUrl), apiKey: given(apiKey) };
  const file = variablesIn(environmentFile);
  const { GATELOG_API_URL: fileUrl, GATELOG_API_KEY: fileKey } = file;
  if (apiKey !== undefined && apiKey !== '' && fileUrl !== undefined && fileUrl !== '') {
    return { apiUrl: given(apiUrl), apiKey, ...(apiUrl === undefined ? { isFileAddressUnused: true } : {}) };
  }
  return { apiUrl: given(apiUrl ?? fileUrl), apiKey: given(apiKey ?? fileKey) };
}

function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** @throws CommandError for a file that is there and cannot be used. */
function variablesIn(file: string): Readonly<Record<string, string | undefined>> {
  try {
    return readEnvironmentFile(file)?.values ?? {};
  } catch (error) {
    throw unusable(file, messageOf(error));
  }
}

function unusable(file: string, why: string): CommandError {
  return new CommandError(`${file} cannot be read (${why}). Set GATELOG_API_KEY and GATELOG_API_URL in the environment.`);
}
