/** Our environment for a service, which refuses settings that it does not know: without those of the tests. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GATELOG_TEST_')));
}
