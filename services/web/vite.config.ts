import { defineConfig } from "vite";

export default defineConfig({
  build: {
    target: "es2022",
    // A page that takes nothing from elsewhere, not even from itself by data: URLs.
    assetsInlineLimit: 0,
  },
  server: {
    // `npx vite` beside a running `tengen dev`.
    proxy: { "^/tengen\\.": "http://127.0.0.1:4700" },
  },
});
