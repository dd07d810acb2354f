// Bundles the editor of the runnable cells:  node bundle.mjs TARGET.js
import { build } from "esbuild";

await build({
  entryPoints: ["editor.mjs"], outfile: process.argv[2],
  bundle: true, format: "esm", minify: true, legalComments: "none", target: "es2022",
});
