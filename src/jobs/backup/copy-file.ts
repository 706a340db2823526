import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';

export interface CopiedFile {
  readonly bytes: number;
  /** SHA-256, hexadecimal. */
  readonly sha256: string;
}

const blockBytes = 256 * 1024;

/**
 * Copies the first `maxBytes` of a file to a new one, mode 0600; durable on return. @throws when the source is shorter, unless `maxBytes`
 * is infinite, or the disk fails.
 */
export async function copyEntireFile(from: string, to: string, maxBytes = Number.POSITIVE_INFINITY): Promise<CopiedFile> {
  await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      const hash = createHash('sha256');
      const block = Buffer.allocUnsafe(blockBytes);
      let bytes = 0;
      while (bytes < maxBytes) {
        const { bytesRead } = await source.read(block, 0, Math.min(blockBytes, maxBytes - bytes), bytes);
        if (bytesRead === 0) break;
        const piece = block.subarray(0, bytesRead);
        hash.update(piece);
        await target.writev([piece]);
        bytes += bytesRead;
      }
      if (bytes < maxBytes && maxBytes !== Number.POSITIVE_INFINITY) throw new Error(`${from} has become shorter`);
      await target.datasync();
      return { bytes, sha256: hash.digest('hex') };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
