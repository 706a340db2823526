import type { Planted } from './rule.ts';

/** Violations of the rules about documents, and close relatives that are allowed. */
export const plantedDocuments: readonly Planted[] = [
  {
    rule: 'short README',
    title: 'too many lines, and one that is too long',
    files: { 'README.md': `# A\n${'x'.repeat(141)}\n${'line\n'.repeat(149)}` },
    at: ['README.md:2', 'README.md:151'],
  },
  {
    rule: 'short README',
    title: 'as long as it may be, and another page',
    files: { 'README.md': `${'x'.repeat(140)}\n`.repeat(150), 'docs/README.md': 'x'.repeat(500) },
    at: [],
  },
  {
    rule: 'living links',
    title: 'no such file, folder or heading',
    files: {
      'README.md': '[a](docs/b.md)\n[b](docs/a.md#two) and [c](docs)\n[d](#one) [e](guides/)',
      'docs/a.md': '# One\n```\n# two\n```\n[up](../LICENSE)',
    },
    at: ['README.md:1', 'README.md:2', 'README.md:3', 'README.md:3', 'docs/a.md:5'],
  },
  {
    rule: 'living links',
    title: 'files, folders, headings, the web and code',
    files: {
      'README.md':
        '# A `b`, c & d\n[a](docs/a.md#one-1)\n[b](docs) [c](docs/) [d](#a-b-c--d)\n[e](https://example.com/x) `[f](nowhere)`\n```\n[g](nowhere)\n```',
      'docs/a.md': '# One\n# One\n[up](../README.md)',
    },
    at: [],
  },
  {
    rule: 'own program',
    title: 'a program that may come from elsewhere, and our own',
    files: {
      'README.md': '# A\nnpx gatelog metrics',
      'docs/a.md': 'npx --no-install gatelog metrics\n`npx --yes gatelog`\nnpx --package gatelog gatelog serve',
      'deploy/notes.txt': 'npm install --global gatelog\nnpm i gatelog@0.1.0\nnpm exec -- gatelog serve',
      'openapi.json': '"pnpm dlx gatelog"',
      'src/a.ts': 'gatelog',
    },
    at: ['README.md:2', 'docs/a.md:2', 'docs/a.md:3', 'deploy/notes.txt:1', 'deploy/notes.txt:2', 'deploy/notes.txt:3', 'openapi.json:1'],
  },
  {
    rule: 'own program',
    title: 'the program of a clone, of an installation, of a file, and other words',
    files: {
      'README.md':
        'npx --no-install gatelog serve\ngatelog serve\nnpm install --global ./gatelog-0.1.0.tgz\nnpx --package ./gatelog-0.1.0.tgz gatelog serve',
      'docs/a.md': 'npx other -o gatelog.ts\ndocker build -t gatelog .\nmkdir -p gatelog',
    },
    at: [],
  },
  {
    rule: 'followed ways',
    title: 'no such file or function, a function that a variable holds, and one that does not call the next',
    files: {
      'ARCHITECTURE.md':
        '# Map\n1. `a` in `src/model/a.ts` begins.\n2. `held` in `src/model/a.ts`.\n3. `b` in `src/model/a.ts`.\n4. `C.send` in `src/model/c.ts`.\n5. `D.end` in `src/model/d.ts`.',
      'src/model/a.ts': 'export function a() { return held(); }\nexport const held = () => b();\nexport function b() { return send; }',
      'src/model/c.ts': 'class Other { send() { return end(); } }\nclass C { receive() { return end(); } }',
    },
    at: ['ARCHITECTURE.md:3', 'ARCHITECTURE.md:4', 'ARCHITECTURE.md:5', 'ARCHITECTURE.md:6'],
  },
  {
    rule: 'followed ways',
    title: 'more stops than one follows',
    files: {
      'ARCHITECTURE.md': Array.from({ length: 9 }, (_, index) => `${index + 1}. \`a\` in \`src/model/a.ts\``).join('\n'),
      'src/model/a.ts': 'export function a() { return a(); }',
    },
    at: ['ARCHITECTURE.md:9'],
  },
  {
    rule: 'followed ways',
    title: 'functions and methods in their order, and other lists',
    files: {
      'ARCHITECTURE.md':
        '1. `A.run` in `src/model/a.ts` asks.\n2. `b` in `src/model/b.ts` answers.\n\n1. Another list.\n2. `x` is no stop.',
      'src/model/a.ts': 'export class A { async run(list: B[]) { for (const one of list) await one.b(() => one); } }',
      'src/model/b.ts': 'export function b() { return 1; }',
    },
    at: [],
  },
];
