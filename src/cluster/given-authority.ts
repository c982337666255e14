import { X509Certificate } from 'node:crypto';
import { shown } from '../api/option-check.ts';
import { FileContent, type FileContentOptions } from '../http/file-content.ts';
import type { TlsTrust } from '../http/socket/tls-trust.ts';
import { isFile } from '../login/in-cluster.ts';
import { KubeconfigError } from '../login/kubeconfig.ts';

const PEM = '-----BEGIN';
const EXPECTED = `expected was PEM (a text with "${PEM} CERTIFICATE-----") or the path of a file with it`;

/** The option `certificateAuthority`: PEM, as text or bytes, or the path of a file with it, which is read again as it changes. */
export async function givenAuthority(
  given: string | Uint8Array,
  options: Omit<FileContentOptions, 'purpose'>,
): Promise<NonNullable<TlsTrust['ca']>> {
  if (typeof given !== 'string' && !(given instanceof Uint8Array))
    throw new TypeError(`certificateAuthority is ${shown(given)}; ${EXPECTED}`);
  const text = typeof given === 'string' ? given : Buffer.from(given).toString('latin1');
  if (hasCertificate(text)) return typeof given === 'string' ? given : Buffer.from(given);
  if (typeof given === 'string' && (await isFile(given)))
    return new FileContent(given, { ...options, purpose: 'CA file' });
  throw new KubeconfigError(`the option \`certificateAuthority\` is ${described(given, text)}; ${EXPECTED}`);
}

/** Node would trust nobody, without a word, when it cannot read any. */
function hasCertificate(text: string): boolean {
  if (!text.includes(PEM)) return false;
  try {
    return new X509Certificate(text).raw.length > 0;
  } catch {
    return false;
  }
}

function described(given: string | Uint8Array, text: string): string {
  if (text.trim() === '') return 'empty';
  if (text.includes(PEM)) return 'PEM without a certificate that can be read';
  // How a kubeconfig has it in certificate-authority-data.
  if (Buffer.from(text.slice(0, 64), 'base64').toString('latin1').includes(PEM))
    return 'PEM in base64: decode it first';
  if (typeof given !== 'string') return `${given.length} bytes without a certificate in PEM`;
  return given.length > 200 || given.includes('\n')
    ? 'a text without a certificate in PEM'
    : `"${given}", which is not a file that can be read`;
}
