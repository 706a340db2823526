import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { deploymentSecret } from './secret-key.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-secret-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('without a setting a secret is made once and kept, for this user only', () => {
  const file = path.join(folder, 'made');
  const made = deploymentSecret(undefined, file);
  expect(made).toHaveLength(32);
  expect(deploymentSecret(undefined, file)).toEqual(made);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(deploymentSecret(undefined, path.join(folder, 'other'))).not.toEqual(made);
});

test('a setting wins, and leaves no file', () => {
  const file = path.join(folder, 'none');
  expect(deploymentSecret('chosen-by-the-operator', file)).toEqual(deploymentSecret('chosen-by-the-operator', file));
  expect(() => statSync(file)).toThrow('ENOENT');
});

test('a file that holds something else is left alone and named', () => {
  const file = path.join(folder, 'broken');
  writeFileSync(file, 'hello');
  expect(() => deploymentSecret(undefined, file)).toThrow(file);
});

test.each([0o640, 0o604, 0o660, 0o644])('a file of mode %o is refused with what to do, until it is for this user only', (mode) => {
  const file = path.join(folder, `open-${mode}`);
  const made = deploymentSecret(undefined, file);
  chmodSync(file, mode);
  expect(() => deploymentSecret(undefined, file)).toThrow(
    `The secret in ${file} is open to other users of this machine (mode 0${mode.toString(8)}). Run "chmod 600 ${file}"`,
  );
  expect(deploymentSecret('chosen-by-the-operator', file)).toHaveLength(32);
  chmodSync(file, 0o400);
  expect(deploymentSecret(undefined, file)).toEqual(made);
});
