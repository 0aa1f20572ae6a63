/** Writes the notices that accompany the built program: the licence of each package whose code it contains. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../node_modules', import.meta.url));

const head = `Carillon is made with the packages below: its program, the pages of its portal and the page of its API contain some or
all of their code. Each comes under its own licence, in its authors' words. Packages that are installed beside Carillon
have their licences in their own folders.
`;

/** Code that bundlers add themselves, by the names they give it. */
const ofBundlers = [
  [/^\0?rolldown\/runtime/, 'rolldown'],
  [/^\0?vite\//, 'vite'],
];

/** `modules` has the paths of all bundled files. Throws if a licence cannot be found. */
export function thirdPartyNotices(modules) {
  // A few functions of esbuild are in every bundle without being a module.
  const folders = new Set([join(packages, 'esbuild')]);
  for (const module of modules) {
    const folder = packageOf(module);
    if (folder !== undefined) folders.add(folder);
  }
  const notices = new Map();
  for (const folder of folders) {
    const own = modules.filter((module) => module.startsWith(`${folder}/`));
    const [title, text] = noticeOf(folder, own);
    notices.set(title, text);
  }
  const sorted = [...notices].sort(([a], [b]) => (a < b ? -1 : 1));
  return [head, ...sorted.map(([title, text]) => `${'-'.repeat(80)}\n${title}\n\n${text}\n`)].join('\n');
}

/** Undefined for our own code. */
function packageOf(module) {
  const [, bundler] = ofBundlers.find(([name]) => name.test(module)) ?? [];
  if (bundler !== undefined) return join(packages, bundler);
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module)?.[0];
}

function noticeOf(folder, modules) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const ofPackage = readdirSync(folder)
    .filter((file) => /^(licen[sc]e|copying|notice)/i.test(file))
    .map((file) => join(folder, file));
  // Licences of code that was already bundled into one of the package's files.
  const besides = modules.map((module) => `${module}.LICENSE.txt`).filter((file) => existsSync(file));
  const texts = [...ofPackage, ...besides].map((file) => ownPart(name, readFileSync(file, 'utf8')).trim());
  const title = `${name} ${version} (${license})`;
  return [title, texts.length > 0 ? texts.join('\n\n') : withoutFile({ folder, title, license, author })];
}

/** Of Vite, only a few lines of its own go into the pages, but its licence file also covers the packages bundled into Vite. */
function ownPart(name, text) {
  return name === 'vite' ? text.split(/^# licenses of bundled dependencies/im)[0] : text;
}

/** Some packages have their licence only in their readme, or only name it. */
function withoutFile({ folder, title, license, author }) {
  const readme = readdirSync(folder).find((file) => /^readme/i.test(file));
  const content = readme === undefined ? '' : readFileSync(join(folder, readme), 'utf8');
  const section = /^#+ *licen[sc]e\b.*\n([\s\S]*)/im.exec(content)?.[1]?.trim();
  if (section !== undefined && /permission is hereby granted/i.test(section)) return section;
  if (license !== 'MIT') throw new Error(`${title} has no licence text: add it to scripts/third-party.mjs.`);
  const holder = typeof author === 'string' ? author : author?.name;
  return `Copyright (c) ${holder ?? 'the authors of the package'}\n\n${mit}`;
}

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
