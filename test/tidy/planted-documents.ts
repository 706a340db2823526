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
];
