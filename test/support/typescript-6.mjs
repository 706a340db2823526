/**
 * Preloaded into a process that needs the compiler's JavaScript interface, which TypeScript 7 no longer has: `typescript` is then the
 * TypeScript 6 inside of another package. Two versions of the package itself would fight about the command `tsc`.
 */
import { register } from 'node:module';

const shim = `import common from ${JSON.stringify(import.meta.resolve('@ts-morph/common'))}; export default common.ts;`;
const hook = `const url = ${JSON.stringify(`data:text/javascript,${encodeURIComponent(shim)}`)};
export const resolve = (specifier, context, next) => (specifier === 'typescript' ? { url, shortCircuit: true } : next(specifier, context));`;

register(`data:text/javascript,${encodeURIComponent(hook)}`);
