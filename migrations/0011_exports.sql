CREATE TABLE "exports" (
	"user_id" text NOT NULL,
	"export_id" text NOT NULL,
	"status" text NOT NULL,
	"format" text NOT NULL,
	"parts" text[] NOT NULL,
	"since" timestamp (3) with time zone,
	"recordings" boolean NOT NULL,
	"last_session" text NOT NULL,
	"sessions_total" integer NOT NULL,
	"sessions_done" integer DEFAULT 0 NOT NULL,
	"bytes" bigint,
	"error" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "exports_user_id_export_id_pk" PRIMARY KEY("user_id","export_id")
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "restored" boolean;--> statement-breakpoint
ALTER TABLE "exports" ADD CONSTRAINT "exports_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "exports_age" ON "exports" USING btree ("expires_at");