CREATE TABLE "oauth_assertions" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oauth_clients" ADD COLUMN "tried_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "oauth_clients" ADD COLUMN "jwks_uri" text;--> statement-breakpoint
ALTER TABLE "oauth_clients" ADD COLUMN "needs_assertion" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "oauth_assertions_age" ON "oauth_assertions" USING btree ("expires_at");