CREATE TABLE "webhooks" (
	"user_id" text NOT NULL,
	"webhook_id" text NOT NULL,
	"url" text NOT NULL,
	"events" text[] NOT NULL,
	"active" boolean NOT NULL,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_secret_until" timestamp (3) with time zone,
	"failure_count" integer NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"last_delivery_at" timestamp (3) with time zone,
	"last_delivery_status" integer,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhooks_user_id_webhook_id_pk" PRIMARY KEY("user_id","webhook_id")
);
--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;