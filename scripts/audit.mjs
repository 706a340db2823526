// Checks the program's dependencies for known vulnerabilities in the registry. A high one fails. A registry without such a service is
// reported and skipped.
import { spawnSync } from 'node:child_process';

const longestMs = 60_000;

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8', timeout: longestMs });
const report = parsed(stdout ?? '');

if (report?.vulnerabilities === undefined || report.metadata === undefined) {
  const status = /\b[45]\d\d\b/.exec(report?.message ?? '')?.[0] ?? 'no answer';
  console.log(`audit: skipped, the registry in use does not answer audits (${status})`);
} else {
  const grave = Object.values(report.vulnerabilities).filter(({ severity }) => severity === 'high' || severity === 'critical');
  for (const { name, severity, range } of grave) console.error(`audit: ${name} ${range}: ${severity}`);
  if (grave.length === 0) console.log('audit: nothing high among the production dependencies');
  process.exitCode = grave.length === 0 ? 0 : 1;
}

/**
 * @typedef {{ name: string, severity: string, range: string }} Hole
 * @typedef {{ message?: string, metadata?: object, vulnerabilities?: Record<string, Hole> }} Report
 * @param {string} text
 * @returns {Report | undefined}
 */
function parsed(text) {
  try {
    return /** @type {Report} */ (JSON.parse(text));
  } catch {
    return undefined;
  }
}
